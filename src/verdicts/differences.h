// What keeps the times of two results from being compared: they would say something of it, and not of the
// programs.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "results/result.h"

namespace breakeven {

/// What may differ, and what `--allow` takes.
enum class Difference {
  machine,    // the host, its CPUs or memory; the GPU, its memory checks or partitions
  library,    // the version of a backend or of a library that it uses
  driver,     // of a GPU
  threads,    // that CPU backends computed with
  clocks,     // what they are set to or limited by, and what was measured
  algorithm,  // that the library chose
  settings,   // of the measurement: whether caches were warm, what steers libraries
};
std::string_view name(Difference difference);
std::optional<Difference> parse_difference(std::string_view name);
/// In the order of their names' use above.
std::vector<std::string> difference_names();

struct FoundDifference {
  Difference what;
  std::string text;  // "other CPU: Xeon → EPYC"
};

/// Of the hosts and of how was measured, which all cases share. What is unknown on a side does not differ.
std::vector<FoundDifference> run_differences(const Result& base, const Result& head);

/// "warm" or "cold": the state of the caches that a run's config asked for; empty where it is not known.
std::string cache_state(const Result& result);

/// Of one backend's two records, and of the GPUs that it computed on.
std::vector<FoundDifference> backend_differences(const Result& base, const Result& head,
                                                 const std::string& backend);

/// Of one case's two results: the clocks of the GPU, and the algorithm.
std::vector<FoundDifference> case_differences(const CaseResult& base, const CaseResult& head);

/// What does not keep times from being compared and yet may move them: the kernel, what the system is set to,
/// how breakeven was built. A sentence each.
std::vector<std::string> lesser_differences(const Result& base, const Result& head);

}  // namespace breakeven
