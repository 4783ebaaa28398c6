// Finds out with which of its library's kernels a program computes fastest on this machine (autotuning): a
// library that is older than the processor takes kernels for a much older one.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "protocol/messages.h"
#include "results/note.h"
#include "session/worker.h"

namespace breakeven {

/// How a program is to be started.
struct ChosenVariant {
  std::vector<std::pair<std::string, std::string>> environment = {};  // empty: as it is
  std::vector<Note> notes = {};                                       // for readers of its results
};

/// Chooses among the variants that the program's hello names: as the cache file says (variant_cache.h), or
/// else by a race, whose result is kept there. The race lasts two to five seconds, in which nothing else
/// should run. float32 products are sampled with all variants in turn; those that end, hang, are not what
/// they should be or compute something else are out. `options` are those with which the program was started.
ChosenVariant choose_variant(const std::filesystem::path& program, const answer::Hello& hello,
                             const WorkerOptions& options, int threads);

}  // namespace breakeven
