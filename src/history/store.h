// The history store: one SQLite file, to which runs are only ever added.
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

struct HistoryDatabase;  // SQLite's side

/// A store that cannot be used. Names the file, what is wrong and the remedy.
class HistoryError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What the adder knows of a run, beside what is in its file.
struct RunLabel {
  std::string commit, branch;
  std::string time;     // empty: when the result says that it was created
  std::string machine;  // empty: the host's name
  std::string source;   // path of the file
};

struct AddedRun {
  bool is_new = false;           // otherwise nothing was done:
  std::size_t measurements = 0;  // there are none in the file, if 0,
  Run run;                       // or else the same file is this run
  Machine machine;
  std::optional<Run> before;  // the newest run of this machine until then
};

/// The cases that HistoryStore::add() would add.
std::size_t count_measurements(const Result& result);

/// Safe to use from several processes at once, and against being killed at any moment: each change is one
/// transaction, under SQLite's rollback journal. That needs nothing but the file itself, which can be copied
/// while nobody writes, and it works on network folders whose locks do. Every call throws HistoryError.
class HistoryStore {
 public:
  enum class Open { to_add, existing };  // to_add makes the store, and its folder, where there is none

  /// Waits for other processes that write, at most for `wait` each time.
  HistoryStore(const std::filesystem::path& path, Open open, std::chrono::duration<double> wait);
  ~HistoryStore();
  HistoryStore(const HistoryStore&) = delete;
  HistoryStore& operator=(const HistoryStore&) = delete;
  HistoryStore(HistoryStore&&) = delete;
  HistoryStore& operator=(HistoryStore&&) = delete;

  /// Adds what was measured in `result`: the cases that are ok with a time, wrong or failed. `text` is the
  /// file's: the same is not added again.
  AddedRun add(const Result& result, const std::string& text, const RunLabel& label);

  History read() const;

  /// From now on, whatever happened to these series up to the newest run is accepted.
  void accept(const std::vector<std::int64_t>& series);

 private:
  std::unique_ptr<HistoryDatabase> database_;
};

}  // namespace breakeven
