// The differences between programs that are built for the same CBLAS: a library may be installed in several
// places.
#pragma once

#include <string>

/// The name of a library's function in its file. usual_names.cmake may have redefined it.
#define BREAKEVEN_SYMBOL_NAME(function) BREAKEVEN_TEXT_OF(function)
#define BREAKEVEN_TEXT_OF(name) #name

namespace breakeven::cblas {

/// The library's name, with a version if several are installed: "openblas-0.3.30".
std::string backend_name();
/// The name of sgemm in the library's file, usually "cblas_sgemm".
const char* sgemm_symbol();

}  // namespace breakeven::cblas
