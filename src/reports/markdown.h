// A summary in GitHub-flavoured Markdown.
#pragma once

#include <span>
#include <string>

#include "results/result.h"

namespace breakeven {

/// The machines, a table for each operation, and below them what is not ok, the warnings, and the backends
/// that were not there. Several results stand side by side: the same problem on two machines is one block of
/// rows, with a column that names the machine.
std::string markdown_report(std::span<const Result> results);

}  // namespace breakeven
