#pragma once

#include <string>

namespace breakeven {

/// The output of `breakeven --version`: the version in the first line, then the commit, the compiler and the
/// libraries.
std::string version_text();

}  // namespace breakeven
