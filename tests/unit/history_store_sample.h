// A store of a history, as a file.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "history/store.h"
#include "unit/history_sample.h"
#include "unit/temporary_folder.h"
#include "unit/texts_of_files.h"

namespace breakeven::sample {

/// The adder's description of a run.
inline RunLabel label_of(const std::string& commit) {
  return {.commit = commit, .branch = "main", .time = "", .machine = "", .source = "result.json"};
}

/// The bytes of a store of 20 runs. A case and the machine itself become slower in the middle, another case
/// is wrong, and the first one's change was accepted.
inline std::string store_bytes() {
  const TemporaryFolder folder;
  const std::vector<double> seconds = stepped(20, 12, 1.3);
  {
    HistoryStore store(folder.path() / "store", HistoryStore::Open::to_add, std::chrono::seconds(10));
    for (std::size_t i = 0; i < seconds.size(); ++i) {
      Result run = run_of({timed("a", seconds[i]), not_ok("b", Status::wrong)},
                          "2026-01-" + std::to_string(10 + i) + "T00:00:00Z");
      run.machine_speed = MachineSpeed{
          .rounds = 10, .best_seconds = {{"l2", 1e-5}}, .median_seconds = {{"l2", i < 12 ? 1e-5 : 1.3e-5}}};
      store.add(run, to_json_text(run), label_of("c" + std::to_string(i)));
    }
    store.accept({1});
  }
  return folder.read("store");
}

}  // namespace breakeven::sample
