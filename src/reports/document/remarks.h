// Collects warnings and failures of results, each once however often it occurs.
#pragma once

#include <vector>

#include "reports/document/document.h"
#include "reports/document/runs.h"

namespace breakeven {

/// The remarks, the worst first: failed cases, incomplete runs, warnings, unsupported cases. Within each
/// kind, remarks on whole runs come first, then the most frequent. Texts that differ only in their numbers
/// are one remark, shown with the largest numbers: `... (and 5 more cases like it: blis, onednn)`.
std::vector<Sentence> remarks_on(const Runs& runs);

}  // namespace breakeven
