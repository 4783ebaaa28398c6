// Verdicts as annotations of a GitHub Actions job.
#pragma once

#include <string>

#include "verdicts/verdict.h"

namespace breakeven {

/// Workflow commands, a line each, to be printed to a step's standard output: `::error` for what is slower,
/// wrong, incomparable or missing, `::warning` for what is inconclusive. At most ten, since GitHub shows no
/// more of a step: where there are more findings, the tenth counts the rest. Nothing where all is well.
/// https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands
std::string verdicts_github(const Verdicts& verdicts);

}  // namespace breakeven
