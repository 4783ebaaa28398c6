// The interface to a program's CBLAS library. libraries/NAME.cpp implements what differs between libraries,
// and program.cpp what differs between programs for one library, which may be installed in several places.
#pragma once

#include <string>
#include <vector>

#include "backends/cblas/kernel_choice.h"

/// The name of a library's function in its file. usual_names.cmake may have redefined it.
#define BREAKEVEN_SYMBOL_NAME(function) BREAKEVEN_TEXT_OF(function)
#define BREAKEVEN_TEXT_OF(name) #name

namespace breakeven::cblas {

/// The library's name, with a version if several are installed: "openblas-0.3.30".
std::string backend_name();
/// The name of sgemm in the library's file, usually "cblas_sgemm".
const char* sgemm_symbol();

std::string library_name();
/// The version, as exactly as the library reports it, with its kernels if it names them.
std::string library_version();
/// The name of a function that no other library has.
const char* own_symbol();
/// The library's name for the kernels that it uses in this process; empty if it does not report them.
std::string library_kernels();
/// The kernels that the library's variable (host/library_variables.h) can select. Of equally fast ones the
/// preferred comes first. A build of the library may lack some of them.
std::vector<Kernels> known_kernels();
/// Sets the number of threads of the library's products called from this thread; with some libraries, from
/// any.
void use_library_threads(int threads);
/// False if the library was built for one thread.
bool library_has_threads();

/// Sets the number of the library's threads for each product called from now on outside a parallel loop, with
/// any library (backend.cpp). A loop on all threads (worker/threads.h) needs 1, because two pools of threads
/// would compete for the same cores.
void let_library_use(int count);

}  // namespace breakeven::cblas
