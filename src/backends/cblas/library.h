// In what one CBLAS differs from another: libraries/NAME.cpp.
#pragma once

#include <string>
#include <vector>

#include "backends/cblas/kernel_choice.h"

namespace breakeven::cblas {

std::string library_name();
/// As exactly as the library says, with the kernels it takes where it tells.
std::string library_version();
/// A symbol that no other library has.
const char* own_symbol();
/// The kernels that the library takes in this process, by its own name for them; empty where it does not say.
std::string library_kernels();
/// Those that it can be told to take by its variable (host/library_variables.h), the one that is preferred
/// among equally fast ones first; not all of them may be in this build of it.
std::vector<Kernels> known_kernels();
/// How many threads the library's products use when called from this thread; with some libraries, from any.
void use_library_threads(int threads);

}  // namespace breakeven::cblas
