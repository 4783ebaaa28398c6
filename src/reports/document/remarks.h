// Warnings and failures of results, each said once however often it was met.
#pragma once

#include <vector>

#include "reports/document/document.h"
#include "reports/document/runs.h"

namespace breakeven {

/// The worst first: `status: explanation` of what failed, whether a run is incomplete, warnings of runs and
/// results, unsupported cases; each in the order in which they first appear. Texts that differ only in their
/// numbers are one, the first of them, with what they are on: `(12 cases, with other figures: blis, onednn)`.
std::vector<Sentence> remarks_on(const Runs& runs);

}  // namespace breakeven
