// Finds the file from which the loader took a library: that file is measured, whatever the program was built
// with.
#pragma once

#include <string>

namespace breakeven {

/// The file, with links resolved, that provides `symbol` to this program; empty if no loaded file exports it.
std::string file_of_symbol(const char* symbol);

/// The library that a backend calls, as the backend reports it.
struct LoadedLibrary {
  std::string file;     // that provides the computing symbol; empty if unknown
  std::string warning;  // if the file belongs to another library, else empty
};

/// Finds the library. `symbol` is a computing function, such as cblas_sgemm. `own_symbol` is a function that
/// no other library has, such as openblas_get_config. If `symbol` comes from a different file, whose name
/// does not contain `name`, it belongs to another library.
LoadedLibrary loaded_library(const std::string& name, const char* symbol, const char* own_symbol);

}  // namespace breakeven
