#pragma once

#include <string>

namespace breakeven {

/// What `breakeven --version` shows: the version in the first line; then the commit that was built, by which
/// compiler, and with which libraries.
std::string version_text();

}  // namespace breakeven
