// From which file the loader took a library: what is measured is that file, whatever the program was built
// with.
#pragma once

#include <string>

namespace breakeven {

/// The file, without links, that gives this program `symbol`; empty where nothing loaded exports it.
std::string file_of_symbol(const char* symbol);

/// What a backend says of the library that it calls.
struct LoadedLibrary {
  std::string file;     // that gives the symbol which computes; empty: not known
  std::string warning;  // where that is another library; else empty
};

/// `symbol` is one that computes, as cblas_sgemm. `own_symbol` is one that no other library has, as
/// openblas_get_config: `symbol` from another file, whose name has no `name` in it, is another library's.
LoadedLibrary loaded_library(const std::string& name, const char* symbol, const char* own_symbol);

}  // namespace breakeven
