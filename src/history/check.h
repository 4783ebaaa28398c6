// Finds changes in a history, and which of them are new and slower. Pure functions.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "history/history.h"
#include "history/host_changes.h"
#include "json/names.h"
#include "results/note.h"
#include "statistics/summary.h"

namespace breakeven {

struct CheckOptions {
  double threshold = 0.03;  // the smallest change that matters, as a fraction
  double level = 0.01;      // of the check: how often a history without any change may show one
  std::size_t since = 0;    // index into History::runs; earlier changes are not new
};

enum class ChangeState {
  fresh,     // slower, and none of the following
  accepted,  // by `history accept`
  undone,    // back within the threshold, apart from what the machine changed since
  earlier,   // earlier than `since`
  machine,   // the machine itself changed as much, and did not go back alone
  better,    // faster, at any time
};
constexpr std::array<std::string_view, 6> names_of(ChangeState) {
  return {"new", "accepted", "undone", "earlier", "machine", "better"};
}

/// A change of level of one series.
struct Change {
  const Series* series = nullptr;
  const Machine* machine = nullptr;
  ChangeState state = ChangeState::fresh;
  double ratio = 1;                              // seconds after the change divided by seconds before
  Interval interval;                             // 95 %
  double p_value = 1;                            // over all positions and all series
  double before_seconds = 0, after_seconds = 0;  // medians of the two levels
  std::size_t last_before = 0, first_after = 0;  // indices into History::runs
  std::vector<Note> notes = {};                  // what else changed at that point, or that nothing did
};

/// The newest values of one series are all slower, or all faster, than those before, but there are too few to
/// be sure.
struct Suspicion {
  const Series* series = nullptr;
  const Machine* machine = nullptr;
  double ratio = 1;        // median of the newest divided by median of those before
  std::size_t values = 0;  // the number of newest values
  std::size_t more = 0;    // the number of further values until a change can be found
  bool at_least = false;   // or even more, because there are few before, too
  std::vector<Note> notes = {};
};

/// A series whose newest measurement is not ok and not accepted.
struct Failure {
  const Series* series = nullptr;
  const Machine* machine = nullptr;
  Status status = Status::failed;
  std::size_t run = 0;  // index into History::runs
};

/// The result of a check. Points into the history that was checked.
struct HistoryCheck {
  const History* history = nullptr;
  CheckOptions options;
  std::size_t series = 0;                // with any time
  std::size_t untold = 0;                // of them, too short for any change to be found
  std::size_t most_values = 0;           // of the longest series
  std::size_t values_needed = 0;         // length of a series from which changes can be found
  std::vector<Change> changes;           // fresh ones first, worst first; then the others likewise
  std::vector<Suspicion> suspicions;     // perhaps slower, the worst first
  std::vector<Suspicion> promising;      // perhaps faster, the best first
  std::vector<Failure> failures;         // wrong ones first
  std::vector<HostChange> host_changes;  // of the machines themselves, in the order of the runs

  /// True if no series is long enough yet: nothing is wrong, but nothing could be found.
  bool is_too_young() const { return series > 0 && untold == series; }
};

/// Checks a history. The error rate holds over all series (Bonferroni), even if they share a disturbance such
/// as a noisy day.
HistoryCheck check_history(const History& history, const CheckOptions& options);

/// Returns 1 if a series newly became slower or its newest result is wrong; else 4 if the newest result of
/// one failed, or if there is no series at all; else 0, even if all of them are too short.
int exit_status(const HistoryCheck& check);

/// The requested part of a history. An empty text is no restriction.
struct HistorySelection {
  std::string machine = {};  // name or id
  std::string branch = {};
  std::string filter = {};  // regular expression (RE2), searched in "CASE BACKEND"
};

/// Keeps the requested runs and series. Throws HistoryError if nothing is left, with the available names, or
/// if the filter is invalid.
History select(History history, const HistorySelection& selection);

/// The index of the run that `text` names: "#12" or "12" is its number, otherwise the first run of the newest
/// commit that begins with it. Throws HistoryError.
std::size_t find_run(const History& history, const std::string& text);

}  // namespace breakeven
