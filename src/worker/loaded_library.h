// Finds the file that the loader took a library from: that file is measured, whatever the program was built
// with.
#pragma once

#include <string>

namespace breakeven {

/// The file, with links resolved, that gives this program `symbol`; empty if no loaded file exports it.
std::string file_of_symbol(const char* symbol);

/// The library that a backend calls, as the backend reports it.
struct LoadedLibrary {
  std::string file;     // that provides the computing symbol; empty: not known
  std::string warning;  // if that is another library; else empty
};

/// `symbol` is a computing function, such as cblas_sgemm. `own_symbol` is a function that no other library
/// has, such as openblas_get_config. If `symbol` comes from another file, whose name does not contain `name`,
/// it is another library's.
LoadedLibrary loaded_library(const std::string& name, const char* symbol, const char* own_symbol);

}  // namespace breakeven
