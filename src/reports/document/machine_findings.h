// The findings from the results of one machine, for one question, the most important first.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reports/document/document.h"
#include "reports/document/families.h"
#include "reports/document/library_summary.h"
#include "reports/document/runs.h"

namespace breakeven {

/// The topic of a question, which decides what the answer begins with.
enum class Focus { gpu, ceilings, precision, batch, capacity, libraries };

struct Findings {
  Focus focus = Focus::libraries;
  LibrarySummary libraries;
  std::string in_short;
  std::vector<Sentence> sentences;
  std::size_t answers = 0;  // the number of sentences that are the answer; at least one
  std::vector<KeyFigure> figures;
};

/// The findings of a machine. `timed` and `families` belong to it; `groups` may contain problems of other
/// machines.
Findings findings_of(const MachineRuns& machine, const std::vector<ProblemGroup>& groups,
                     const std::vector<Timed>& timed, const std::vector<Family>& families);

}  // namespace breakeven
