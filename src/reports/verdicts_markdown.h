// Verdicts in GitHub-flavoured Markdown, for a job summary.
#pragma once

#include <string>

#include "verdicts/verdict.h"

namespace breakeven {

/// The head count in words as the heading, the two sides, warnings, and a table with a row for each finding,
/// worst first. Less than 1 MiB, which is what GitHub takes, whatever the verdicts hold: what does not fit is
/// counted.
std::string verdicts_markdown(const Verdicts& verdicts);

}  // namespace breakeven
