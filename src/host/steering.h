// Finds environment variables that influence numerical libraries, frameworks and their runtimes: which
// kernels they select, how many threads, which precision. They may be set in a profile or a container without
// the user's knowledge.
#pragma once

#include <map>
#include <string>

namespace breakeven {

/// The variables in `environment` (in the format of environ(7), ended by a null pointer) that influence
/// libraries, by name. Variables that only name an installation folder are left out.
std::map<std::string, std::string> steering_variables(const char* const* environment);

}  // namespace breakeven
