// The findings from the results of one machine for one question, the most important first.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reports/document/document.h"
#include "reports/document/families.h"
#include "reports/document/library_summary.h"
#include "reports/document/runs.h"

namespace breakeven {

/// The topic of a question, which decides what is said first.
enum class Focus { gpu, ceilings, precision, batch, capacity, libraries };

struct Findings {
  Focus focus = Focus::libraries;
  LibrarySummary libraries;
  std::string in_short;
  std::vector<Sentence> sentences;
  std::size_t answers = 0;  // how many of them are the answer; at least one
  std::vector<KeyFigure> figures;
};

/// `timed` and `families` are those of the machine; `groups` may have problems of others.
Findings findings_of(const MachineRuns& machine, const std::vector<ProblemGroup>& groups,
                     const std::vector<Timed>& timed, const std::vector<Family>& families);

}  // namespace breakeven
