#pragma once

#include <string>

namespace breakeven {

/// The commit of this program's source, such as "1a2b3c4d5e6f-dirty"; empty if it is not known.
std::string source_commit();

/// The output of `breakeven --version`: the version in the first line, then the commit, the compiler and the
/// libraries.
std::string version_text();

}  // namespace breakeven
