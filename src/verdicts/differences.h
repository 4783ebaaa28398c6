// Finds differences that prevent comparing the times of two results: the effect of another machine or setting
// would be attributed to the programs.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "results/result.h"

namespace breakeven {

/// The kinds of differences; their names are the values of `--allow`.
enum class Difference {
  machine,    // the CPUs or memory; the GPU, its ECC or MIG mode
  library,    // the version of a backend or of a library that it uses
  driver,     // the GPU driver
  threads,    // the number of CPU threads, how far apart their cores are, and the hosts of ranks
  clocks,     // clock settings and limits, measured clocks
  algorithm,  // the algorithm that the library chose, of an untuned case
  settings,   // how it was measured: warm or cold caches, environment variables that influence libraries
};
constexpr std::array<std::string_view, 7> names_of(Difference) {
  return {"machine", "library", "driver", "threads", "clocks", "algorithm", "settings"};
}

/// True for differences of the CPUs, on which the times of GPUs hardly depend.
constexpr bool is_of_cpus(Difference what) {
  return what == Difference::threads || what == Difference::clocks;
}

struct FoundDifference {
  Difference what = Difference::machine;
  Note note;
};

/// The two sides in notes on how they differ.
struct NamesOfSides {
  std::string_view base = "the base", head = "the head";
};

/// Differences that all cases share: those of the machines and of the settings of the measurement. A value
/// that is unknown on one side does not count as different. The host's name does not count: a container has a
/// new one each time. Variables that choose a GPU do not count: the chosen GPUs are compared by
/// backend_differences().
std::vector<FoundDifference> run_differences(const Result& base, const Result& head,
                                             const NamesOfSides& names = {});

/// Differences between the two sides' records of one backend, and between the GPUs that it computed on.
std::vector<FoundDifference> backend_differences(const Result& base, const Result& head,
                                                 const std::string& backend);

/// How the places of the ranks differ, by hosts and threads. The names of hosts do not count. Empty if they
/// agree or are unknown.
std::optional<Note> rank_difference(const CaseResult& base, const CaseResult& head);

/// Differences between the two results of one case: the GPU's clocks, the places of its ranks, and the
/// algorithm of an untuned case. A tuned case is whatever its race picks.
std::vector<FoundDifference> case_differences(const CaseResult& base, const CaseResult& head);

/// Another algorithm, of a tuned case too. Empty if they agree or are unknown.
std::optional<Note> algorithm_difference(const CaseResult& base, const CaseResult& head);

/// Differences that may affect times but do not prevent comparing them: the kernel, system settings, files of
/// libraries, breakeven's own build.
std::vector<Note> lesser_differences(const Result& base, const Result& head, const NamesOfSides& names = {});

}  // namespace breakeven
