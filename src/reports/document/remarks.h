// Warnings and failures of results, each said once however often it was met.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "reports/document/runs.h"
#include "results/result.h"

namespace breakeven {

/// A remark on one or many results: texts that differ only in their numbers are one.
struct Remark {
  std::string text;  // as first met; printable
  bool varies = false;
  std::size_t count = 0;              // of results; 0: on a run as a whole
  std::vector<std::string> backends;  // in order of appearance
  std::string first;                  // operation and title of the first one
};

std::map<Status, std::size_t> count_statuses(const Runs& runs);

/// Warnings of results and of whole runs, in the order in which they first appear.
std::vector<Remark> find_warnings(const Runs& runs);
/// For each status but ok: `status: explanation`.
std::vector<Remark> find_failures(const Runs& runs);
/// Behind the text: `(12 cases with other figures; openblas, onednn)`; empty for a whole run's.
std::string describe_extent(const Remark& remark);

}  // namespace breakeven
