// The history store: one SQLite file, to which runs are only added.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "history/history.h"
#include "results/result.h"

namespace breakeven {

struct HistoryDatabase;  // the SQLite part

/// A store that cannot be used. The message names the file, the problem and the remedy.
class HistoryError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Properties of a run that are not in its file.
struct RunLabel {
  std::string commit, branch;
  std::string time;     // empty: the creation time in the result
  std::string machine;  // empty: the host's name
  std::string source;   // path of the file
};

struct AddedRun {
  bool is_new = false;           // if false, nothing was added
  std::size_t measurements = 0;  // if 0, the file has none
  Run run;                       // the added run, or the earlier run of the same file
  Machine machine;
  std::optional<Run> before;  // the newest run of this machine before it
};

/// The number of cases that HistoryStore::add() would add.
std::size_t count_measurements(const Result& result);

/// The store. It is safe to use from several processes at once, and if a process is killed at any moment:
/// each change is one transaction, with SQLite's rollback journal. The journal needs only the file itself,
/// which can be copied while no process writes, and works on network folders that support locks. Every call
/// throws HistoryError.
class HistoryStore {
 public:
  enum class Open { to_add, existing };  // to_add creates a missing store and its folder

  /// Opens the store. Waits for other processes that write, at most for `wait` each time.
  HistoryStore(const std::filesystem::path& path, Open open, std::chrono::duration<double> wait);

  /// Adds the measurements in `result`: the cases that are ok with a time, wrong or failed. `text` is the
  /// content of the file: the same content is not added again.
  AddedRun add(const Result& result, const std::string& text, const RunLabel& label);

  History read() const;

  /// Accepts all changes of these series up to the newest run.
  void accept(const std::vector<std::int64_t>& series);

 private:
  std::shared_ptr<HistoryDatabase> database_;
};

}  // namespace breakeven
