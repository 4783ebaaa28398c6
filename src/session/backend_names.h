// The names that backends may have, and what to do if the program of one is missing.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "session/discovery.h"

namespace breakeven {

/// A backend of this project, built here or not.
struct OwnBackend {
  std::string_view name, remedy;  // the remedy: how to get its program
  /// True for a library whose versions scripts/setup-libraries installs beside the system's. Each has a
  /// backend of its own: "openblas-0.3.30".
  bool has_versions = false;
};
std::span<const OwnBackend> own_backends();
/// True for a backend of this project, including every version of an installed library.
bool is_own_backend(std::string_view name);

/// True if neither a program here nor a backend of this project has the name.
bool is_unknown_backend(std::string_view name, std::span<const BackendProgram> programs);

/// "there is no such backend; did you mean 'openblas'?". The suggestion is a program here or a backend of
/// this project.
std::string no_such_backend(std::string_view name, std::span<const BackendProgram> programs);

/// Why a backend without a program is not available, and what to do about it.
std::string why_no_program(std::string_view name, std::span<const BackendProgram> programs);

}  // namespace breakeven
