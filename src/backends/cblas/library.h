// In what one CBLAS differs from another: libraries/NAME.cpp.
#pragma once

#include <string>

namespace breakeven::cblas {

std::string library_name();
/// As exactly as the library says, with the kernels it chose for this CPU where it tells.
std::string library_version();
/// A symbol that no other library has.
const char* own_symbol();
/// What makes it slower here than it could be, with the remedy; empty where nothing is known to.
std::string library_warning();
/// How many threads the library's products use when called from this thread; with some libraries, from any.
void use_library_threads(int threads);

}  // namespace breakeven::cblas
