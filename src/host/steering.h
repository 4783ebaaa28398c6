// Environment variables that steer numerical libraries, frameworks and what they run on: which kernels they
// take, how many threads, in which precision. Whoever set them, in a profile or a container, may know nothing
// of it.
#pragma once

#include <map>
#include <string>

namespace breakeven {

/// Those of `environment` (as environ(7), ended by a null pointer), by name. Without those that say where
/// something is installed.
std::map<std::string, std::string> steering_variables(const char* const* environment);

}  // namespace breakeven
