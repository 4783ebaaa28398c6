// The differences between one CBLAS and another: libraries/NAME.cpp.
#pragma once

#include <string>
#include <vector>

#include "backends/cblas/kernel_choice.h"

namespace breakeven::cblas {

std::string library_name();
/// The version, as exactly as the library reports it, with its kernels where it names them.
std::string library_version();
/// A symbol that no other library has.
const char* own_symbol();
/// The kernels that the library takes in this process, by its own name for them; empty where it does not say.
std::string library_kernels();
/// Kernels that the library's variable (host/library_variables.h) can select, the preferred among equally
/// fast ones first. A build of the library may lack some of them.
std::vector<Kernels> known_kernels();
/// How many threads the library's products use when called from this thread; with some libraries, from any.
void use_library_threads(int threads);

}  // namespace breakeven::cblas
