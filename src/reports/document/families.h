// Groups the results that are points of one curve of a report.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "reports/document/runs.h"
#include "results/result.h"
#include "verdicts/case_families.h"

namespace breakeven {

/// A result with a time, and its name in a chart of its machine.
struct Timed {
  const Result* run = nullptr;
  const CaseResult* result = nullptr;
  std::string label;    // "oneDNN f32", the dtype only where there are several; printable
  std::string backend;  // the same without the dtype

  bool is_gpu() const { return result->device != "cpu"; }
};

/// Points into the results, which must outlive it.
std::vector<Timed> timed_results(const Runs& runs);

/// Makes `best` point to `one` where that is faster, or the first.
void keep_faster(const CaseResult*& best, const CaseResult& one);

/// Cases that differ only in one whole-numbered parameter, in the parameters that change along with it (m = n
/// = k), in the dtype and in the place where they were measured.
struct Family {
  std::string op, parameter;
  std::string fixed;  // the rest, where it has no default value, as in "batch 4, k 64"; printable
  std::string fixed_without_network;  // the same without the network, which names the work
  std::vector<std::pair<double, const Timed*>> members;

  std::set<std::string> dtypes() const;
  std::string work() const;  // "Training the MLP, width 256"; printable

  /// The fastest result at each value, of those of this dtype that `holds`.
  std::map<double, const CaseResult*> fastest(
      const std::string& dtype, bool (*holds)(const Timed&) = [](const Timed&) { return true; }) const;
};

/// The families whose parameter takes three values or more, in the order of the results. A family whose cases
/// are all in another is left out. Points into `all`, which must outlive it.
std::vector<Family> families_of(const std::vector<Timed>& all);

}  // namespace breakeven
