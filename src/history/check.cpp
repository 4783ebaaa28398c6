#include "history/check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <iterator>
#include <set>
#include <string_view>

#include "history/store.h"
#include "host/own_speed.h"
#include "results/filter.h"
#include "statistics/change_points.h"

namespace breakeven {
namespace {

/// The length of the shortest series in which a change can be found at this level. The smallest p-value falls
/// with the length.
std::size_t shortest_that_tells(double level) {
  std::size_t count = 2 * least_segment;
  while (least_p_value(count) > level) ++count;
  return count;
}

/// The software of a backend in a run; empty if it is unknown.
Software software_in(const Run& run, const std::string& backend) {
  const auto found = run.software.find(backend);
  return found == run.software.end() ? Software() : found->second;
}

/// The settings of `run` that `other` lacks: "placement=cores, OMP_PROC_BIND=close".
std::string settings_without(const Run& run, const Run& other) {
  std::vector<std::string> only;
  std::ranges::set_difference(run.settings, other.settings, std::back_inserter(only));
  return only.empty() ? "none" : fmt::format("{}", fmt::join(only, ", "));
}

/// The other differences between the runs before and after a change.
std::vector<Note> notes_on(const Run& before, const Run& after, const std::string& backend) {
  std::vector<Note> notes;
  const auto now_different = [&](const std::string& what, const std::string& was, const std::string& is) {
    notes.push_back({.kind = NoteKind::now_different, .about = {what, was, is}});
  };
  if (!before.commit.empty() && before.commit == after.commit)
    notes.push_back({.kind = NoteKind::one_commit});
  const std::string was = software_in(before, backend).text;
  const std::string is = software_in(after, backend).text;
  if (was != is) now_different(backend, was, is);
  if (!before.settings.empty() && !after.settings.empty() && before.settings != after.settings)
    now_different("settings", settings_without(before, after), settings_without(after, before));
  return notes;
}

/// Notes on the runs that were measured while the machine was mostly below its own speed.
std::vector<Note> notes_on_slow_runs(const History& history, const std::vector<std::size_t>& runs) {
  std::vector<Note> notes;
  for (const std::size_t run : runs) {
    const auto& speed = history.runs[run].machine_speed;
    if (speed && speed->median < trusted_speed_share)
      notes.push_back({.kind = NoteKind::slow_run,
                       .figures = {static_cast<double>(history.runs[run].id), speed->median}});
  }
  return notes;
}

class SeriesCheck {
 public:
  SeriesCheck(const HistoryCheck& check, const Series& series, const Machine& machine)
      : history_(*check.history),
        options_(check.options),
        host_changes_(check.host_changes),
        series_(series),
        machine_(machine) {
    for (const Measurement& m : series.measurements) {
      if (m.status != Status::ok) continue;
      seconds_.push_back(m.seconds);
      runs_.push_back(m.run);
    }
  }
  std::size_t size() const { return seconds_.size(); }
  /// The index of the value from this run.
  std::size_t place_of(std::size_t run) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(runs_, run) - runs_.begin());
  }

  /// The changes of this series at `level`. `factor` converts their p-values to those of the whole check.
  std::vector<Change> changes(double level, double factor) const {
    std::vector<Change> all;
    const auto points = change_points(seconds_, options_.threshold, level);
    all.reserve(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
      const ChangePoint& point = points[i];
      const std::size_t begin = i == 0 ? 0 : points[i - 1].position;
      const std::size_t end = i + 1 == points.size() ? size() : points[i + 1].position;
      Change change{.series = &series_,
                    .machine = &machine_,
                    .state = ChangeState::fresh,
                    .ratio = point.ratio,
                    .interval = point.interval,
                    .p_value = std::min(1.0, point.p_value * factor),
                    .before_seconds = median_of(begin, point.position),
                    .after_seconds = median_of(point.position, end),
                    .last_before = runs_[point.position - 1],
                    .first_after = runs_[point.position]};
      change.notes =
          notes_on(history_.runs[change.last_before], history_.runs[change.first_after], series_.backend);
      all.push_back(std::move(change));
    }
    double now = all.empty() ? 0 : median_of(points.back().position, size());
    std::set<std::string> moved;  // the parts of the machine to which later changes of this series are due
    for (auto change = all.rbegin(); change != all.rend(); ++change) {
      if (const HostChange* host = explain(*change, all)) {
        change->state = ChangeState::machine;
        now /= change->ratio;  // the level now, had the machine not changed
        moved.insert(host->part);
      } else if (change->ratio < 1) {
        change->state = ChangeState::better;
      } else if (change->first_after < series_.accepted) {
        change->state = ChangeState::accepted;
      } else if (now / machine_ratio_at(*change, moved) < change->before_seconds * (1 + options_.threshold)) {
        change->state = ChangeState::undone;
      } else if (change->first_after < options_.since) {
        change->state = ChangeState::earlier;
      }
    }
    return all;
  }

  enum class Direction { slower, faster };

  /// The last change that the values from `begin` on suggest; empty if there is none.
  std::optional<Suspicion> suspicion(std::size_t begin, double level, Direction direction) const {
    const std::size_t count = size() - begin;
    // Reciprocals make faster values larger.
    const auto height = [&](std::size_t i) {
      return direction == Direction::slower ? seconds_[i] : 1 / seconds_[i];
    };
    std::vector<double> largest(count);  // of the values up to each
    for (std::size_t i = 0; i < count; ++i)
      largest[i] = std::max(height(begin + i), i == 0 ? 0 : largest[i - 1]);
    double least = INFINITY;  // of the newest values
    std::optional<Suspicion> found;
    constexpr std::size_t least_before = 5;
    for (std::size_t newest = 1; newest + least_before <= count; ++newest) {
      least = std::min(least, height(size() - newest));
      if (least <= largest[count - newest - 1]) continue;
      const double ratio = median_of(size() - newest, size()) / median_of(begin, size() - newest);
      const double apart = direction == Direction::slower ? ratio : 1 / ratio;
      const std::size_t before = count - newest;
      const std::size_t needed = values_to_tell(before, level);  // 0: more than `before`
      // With enough runs and no change found, the reason may be runs that resemble each other.
      const std::size_t at_least = needed == 0 ? std::max(before, newest) + 1 : std::max(needed, newest + 1);
      // With few runs on both sides, the newest are often the slowest by chance.
      const double least_part = needed == 0 ? std::max(options_.threshold, 0.25) : options_.threshold;
      if (apart < 1 + least_part) continue;
      found = Suspicion{.series = &series_,
                        .machine = &machine_,
                        .ratio = ratio,
                        .values = newest,
                        .more = at_least - newest,
                        .at_least = needed <= newest,
                        .notes = notes_on_slow_runs(
                            history_, {runs_.end() - static_cast<std::ptrdiff_t>(newest), runs_.end()})};
    }
    return found;
  }

 private:
  /// The change of the machine that explains this one of `all`; null if there is none. Adds a note on it,
  /// even if the machine recovered and the series did not.
  const HostChange* explain(Change& change, const std::vector<Change>& all) const {
    // The speed probe is of the CPUs: it explains nothing on a GPU.
    if (software_in(history_.runs[change.first_after], series_.backend).on_gpu) return nullptr;
    std::optional<Note> note;
    for (const HostChange* host : explanations_of(change.interval, change.last_before, change.first_after,
                                                  machine_, host_changes_, options_.threshold)) {
      note = Note{
          .kind = NoteKind::machine_changed, .figures = {host->ratio}, .about = {part_title(host->part)}};
      const HostChange* recovery = recovery_alone(*host, change, all);
      if (recovery == nullptr) {
        change.notes.push_back(std::move(*note));
        return host;
      }
      note->kind = NoteKind::machine_recovered;
      note->figures.push_back(static_cast<double>(history_.runs[recovery->first_after].id));
    }
    if (note) change.notes.push_back(std::move(*note));
    return nullptr;
  }

  /// The later change by which the machine was as before `host` again, if the series did not follow; else
  /// null.
  const HostChange* recovery_alone(const HostChange& host, const Change& change,
                                   const std::vector<Change>& all) const {
    double ratio = host.ratio;
    for (const HostChange& later : host_changes_) {
      if (later.machine != &machine_ || later.part != host.part || later.first_after <= host.first_after)
        continue;
      ratio *= later.ratio;
      if ((host.ratio > 1 ? ratio : 1 / ratio) < 1 + options_.threshold)
        return stayed(change, later, all) ? &later : nullptr;
    }
    return nullptr;
  }

  /// True if the series stayed at the level after `change` when the machine went back. False with too few
  /// values since then.
  bool stayed(const Change& change, const HostChange& recovery, const std::vector<Change>& all) const {
    const std::size_t begin = place_of(recovery.first_after);
    std::size_t end = size();
    for (const Change& other : all) {
      const bool is_alike = (other.ratio < 1) == (recovery.ratio < 1);
      if (is_alike && is_at_the_same_runs(recovery, other.last_before, other.first_after)) return false;
      if (other.first_after > recovery.first_after) end = std::min(end, place_of(other.first_after));
    }
    if (end < begin + least_segment) return false;
    const double middle = std::sqrt(change.before_seconds * change.after_seconds);
    return (median_of(begin, end) > middle) == (change.ratio > 1);
  }

  /// The ratio by which these parts of the machine changed at the same runs; 1 if they did not.
  double machine_ratio_at(const Change& change, const std::set<std::string>& parts) const {
    double ratio = 1;
    for (const HostChange& host : host_changes_) {
      if (host.machine == &machine_ && parts.contains(host.part) &&
          is_at_the_same_runs(host, change.last_before, change.first_after))
        ratio *= host.ratio;
    }
    return ratio;
  }

  double median_of(std::size_t begin, std::size_t end) const {
    return median({seconds_.begin() + static_cast<std::ptrdiff_t>(begin),
                   seconds_.begin() + static_cast<std::ptrdiff_t>(end)});
  }

  const History& history_;
  const CheckOptions& options_;
  const std::vector<HostChange>& host_changes_;
  const Series& series_;
  const Machine& machine_;
  std::vector<double> seconds_;    // of the measurements that are ok
  std::vector<std::size_t> runs_;  // the run of each
};

const Machine& machine_by_id(const History& history, std::int64_t id) {
  const auto found = std::ranges::find(history.machines, id, &Machine::id);
  if (found == history.machines.end()) throw HistoryError(fmt::format("machine {} is not there", id));
  return *found;
}

}  // namespace

HistoryCheck check_history(const History& history, const CheckOptions& options) {
  HistoryCheck check;
  check.history = &history;
  check.options = options;
  check.host_changes = find_host_changes(history, options.threshold, options.level);
  std::vector<SeriesCheck> all;
  all.reserve(history.series.size());
  for (const Series& series : history.series) {
    const Machine& machine = machine_by_id(history, series.machine);
    const SeriesCheck& one = all.emplace_back(check, series, machine);
    if (one.size() > 0) ++check.series;
    check.most_values = std::max(check.most_values, one.size());
    if (series.measurements.empty()) continue;
    const Measurement& newest = series.measurements.back();
    if (newest.status != Status::ok && newest.run >= series.accepted && newest.run >= options.since)
      check.failures.push_back(
          {.series = &series, .machine = &machine, .status = newest.status, .run = newest.run});
  }
  const auto tests = static_cast<double>(std::max<std::size_t>(check.series, 1));
  const double level = options.level / tests;
  check.values_needed = shortest_that_tells(level);
  for (const SeriesCheck& one : all) {
    if (one.size() == 0) continue;
    if (one.size() < check.values_needed) ++check.untold;
    auto changes = one.changes(level, tests);
    check.changes.insert(check.changes.end(), changes.begin(), changes.end());
    const std::size_t newest_level = changes.empty() ? 0 : one.place_of(changes.back().first_after);
    if (auto slower = one.suspicion(newest_level, level, SeriesCheck::Direction::slower))
      check.suspicions.push_back(*slower);
    if (auto faster = one.suspicion(newest_level, level, SeriesCheck::Direction::faster))
      check.promising.push_back(*faster);
  }
  std::ranges::stable_sort(check.changes, [](const Change& a, const Change& b) {
    return a.state != b.state ? a.state < b.state : std::abs(std::log(a.ratio)) > std::abs(std::log(b.ratio));
  });
  std::ranges::stable_sort(check.suspicions, std::greater{}, &Suspicion::ratio);
  std::ranges::stable_sort(check.promising, {}, &Suspicion::ratio);
  std::ranges::stable_sort(check.failures, {}, [](const Failure& f) { return !is_wrong(f.status); });
  return check;
}

int exit_status(const HistoryCheck& check) {
  const auto is_fresh = [](const Change& c) { return c.state == ChangeState::fresh; };
  if (std::ranges::any_of(check.changes, is_fresh)) return 1;
  if (!check.failures.empty()) return is_wrong(check.failures.front().status) ? 1 : 4;
  return check.series == 0 ? 4 : 0;
}

History select(History history, const HistorySelection& selection) {
  if (!selection.machine.empty()) {
    const auto is_other = [&](const Machine& m) {
      return m.name != selection.machine && std::to_string(m.id) != selection.machine;
    };
    std::string there;
    for (const Machine& m : history.machines)
      there += fmt::format("{}{} ({})", there.empty() ? "" : "; ", m.name, m.id);
    std::erase_if(history.machines, is_other);
    if (history.machines.empty())
      throw HistoryError(fmt::format("--machine {}: there is none of this name or number; there are {}",
                                     selection.machine, there.empty() ? "none" : there));
    std::set<std::int64_t> wanted;
    for (const Machine& m : history.machines) wanted.insert(m.id);
    std::erase_if(history.series, [&](const Series& s) { return !wanted.contains(s.machine); });
  }
  if (!selection.filter.empty()) {
    const Filter wanted(selection.filter);
    std::erase_if(history.series,
                  [&](const Series& s) { return !wanted.finds(s.case_id + " " + s.backend); });
    if (history.series.empty())
      throw HistoryError(
          fmt::format("--filter {}: finds no series; `breakeven history list` shows them", selection.filter));
  }
  if (!selection.branch.empty()) {
    std::set<std::string> there;
    for (const Run& run : history.runs) there.insert(run.branch);
    if (!there.contains(selection.branch))
      throw HistoryError(fmt::format("--branch {}: no run is of it; there are runs of {}", selection.branch,
                                     fmt::join(there, ", ")));
    for (Series& series : history.series) {
      std::erase_if(series.measurements,
                    [&](const Measurement& m) { return history.runs[m.run].branch != selection.branch; });
    }
  }
  return history;
}

std::size_t find_run(const History& history, const std::string& text) {
  const std::string_view number = std::string_view(text).substr(text.starts_with('#') ? 1 : 0);
  std::int64_t id = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), id);
  const bool is_number = error == std::errc() && end == number.data() + number.size();
  std::optional<std::size_t> found;
  std::string commit;
  for (std::size_t i = history.runs.size(); i-- > 0;) {  // if a commit was measured twice, the first counts
    const Run& run = history.runs[i];
    if (is_number && run.id == id) return i;
    if (text.empty() || !run.commit.starts_with(text) || (found && run.commit != commit)) continue;
    found = i;
    commit = run.commit;
  }
  if (found) return *found;
  throw HistoryError(
      fmt::format("{}: no run has this number or commit; `breakeven history list` shows them", text));
}

}  // namespace breakeven
