// In what one program differs from another, though both are built for the same CBLAS: one library may be
// found at several places.
#pragma once

#include <string>

/// The name of a library's function in its file, which usual_names.cmake may have replaced.
#define BREAKEVEN_SYMBOL_NAME(function) BREAKEVEN_TEXT_OF(function)
#define BREAKEVEN_TEXT_OF(name) #name

namespace breakeven::cblas {

/// The library's, with a version behind it where that is told apart: "openblas-0.3.30".
std::string backend_name();
/// "cblas_sgemm", or what the library's file calls it.
const char* sgemm_symbol();

}  // namespace breakeven::cblas
