// Warnings and failures of results, each said once however often it was met.
#pragma once

#include <vector>

#include "reports/document/document.h"
#include "reports/document/runs.h"

namespace breakeven {

/// The worst first: failed cases, incomplete runs, warnings, unsupported cases. Within each, remarks on whole
/// runs come first, then the most frequent. Texts that differ only in their numbers are one remark, shown
/// with the largest numbers: `... (and 5 more cases like it: blis, onednn)`.
std::vector<Sentence> remarks_on(const Runs& runs);

}  // namespace breakeven
