// Differences that prevent comparing the times of two results: a change of the machine or the settings would
// be taken for a change of the programs.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "results/result.h"

namespace breakeven {

/// The kinds of differences; their names are the values of `--allow`.
enum class Difference {
  machine,    // the host, its CPUs or memory; the GPU, its memory checks or partitions
  library,    // the version of a backend or of a library that it uses
  driver,     // of a GPU
  threads,    // their number, of CPU backends
  clocks,     // their settings and limits, and the clocks measured
  algorithm,  // the library's choice
  settings,   // how it was measured: warm or cold caches, variables that steer libraries
};
std::string_view name(Difference difference);
std::optional<Difference> parse_difference(std::string_view name);
/// The names of all kinds, in the order above.
std::vector<std::string> difference_names();

struct FoundDifference {
  Difference what;
  std::string text;  // "different CPU: Xeon → EPYC"
};

/// Differences that all cases share: those of the hosts and of how it was measured. A value that is unknown
/// on one side does not count as different.
std::vector<FoundDifference> run_differences(const Result& base, const Result& head);

/// "warm" or "cold": the state of the caches that a run's config asked for; empty where it is not known.
std::string cache_state(const Result& result);

/// Differences between one backend's two records, and between the GPUs that it computed on.
std::vector<FoundDifference> backend_differences(const Result& base, const Result& head,
                                                 const std::string& backend);

/// Differences between one case's two results: the GPU's clocks, and the algorithm.
std::vector<FoundDifference> case_differences(const CaseResult& base, const CaseResult& head);

/// Differences that may affect times but do not prevent comparing them: the kernel, system settings, files of
/// libraries, breakeven's own build. One sentence each.
std::vector<std::string> lesser_differences(const Result& base, const Result& head);

}  // namespace breakeven
