#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "host/own_speed.h"
#include "reports/charts/history_charts.h"
#include "reports/document/builders.h"
#include "reports/document/names.h"
#include "reports/document/numbers.h"
#include "reports/history.h"
#include "reports/text.h"
#include "reports/words/change_text.h"
#include "reports/words/notes.h"
#include "statistics/summary.h"
#include "text/shell.h"

namespace breakeven {
namespace {

struct Shown {
  ChangeState state;
  const char* title;
  Tone tone;
};
/// In the order in which they are shown: bad changes first.
constexpr std::array<Shown, 6> shown_states{
    {{ChangeState::fresh, "Slower, and new", Tone::bad},
     {ChangeState::better, "Faster", Tone::good},
     {ChangeState::machine, "Moved with the machine itself, not with the code", Tone::quiet},
     {ChangeState::accepted, "Slower, and accepted", Tone::quiet},
     {ChangeState::undone, "Slower, and made good since", Tone::quiet},
     {ChangeState::earlier, "Slower, before --since", Tone::quiet}}};

std::ptrdiff_t count_in(const HistoryCheck& check, ChangeState state) {
  return std::ranges::count(check.changes, state, &Change::state);
}

/// The ratio of a change with its interval.
template <typename T>
std::string ratio_text(const T& change) {
  return change_text(Ratio{.value = change.ratio, .low = change.interval.low, .high = change.interval.high});
}
template <typename T>
std::string between_text(const HistoryCheck& check, const T& change) {
  return describe_place(*check.history, change.last_before, change.first_after);
}

Table changes_table(const HistoryCheck& check, const Shown& shown) {
  Table table{.title = shown.title,
              .columns = {essential("change"), essential("case"), {"median time"}, {"between"}, {"notes"}}};
  for (const Change& c : check.changes) {
    if (c.state != shown.state) continue;
    table.rows.push_back({.cells = {{ratio_text(c), shown.tone},
                                    describe_series(*c.series, *c.machine, *check.history),
                                    describe_times(c),
                                    between_text(check, c),
                                    text_cell(reasons_text(c.notes))}});
  }
  return table;
}

Table failures_table(const HistoryCheck& check) {
  const History& history = *check.history;
  Table table{.title = "Not ok in the newest run that has them",
              .columns = {essential("status"), essential("case"), {"run"}}};
  for (const Failure& f : check.failures) {
    table.rows.push_back({.cells = {{std::string(name(f.status)), Tone::bad},
                                    describe_series(*f.series, *f.machine, history),
                                    describe_run(history.runs[f.run])}});
  }
  return table;
}

Table suspicions_table(const HistoryCheck& check, bool slower) {
  Table table{.title = fmt::format("Perhaps {}, but too few runs yet to tell", slower ? "slower" : "faster"),
              .columns = {essential("change", CellKind::change),
                          essential("case"),
                          {"seen in", CellKind::count},
                          {"runs to go", CellKind::count},
                          {"notes"}}};
  for (const Suspicion& s : slower ? check.suspicions : check.promising) {
    table.rows.push_back({.cells = {{s.ratio, slower ? Tone::warning : Tone::good},
                                    describe_series(*s.series, *s.machine, *check.history),
                                    s.values,
                                    s.at_least ? TableCell("at least " + count_text(s.more)) : s.more,
                                    text_cell(reasons_text(s.notes))}});
  }
  return table;
}

Table host_changes_table(const HistoryCheck& check) {
  Table table{.title = "Changes of the machine itself",
              .columns = {essential("time of the probe"), essential("machine"), {"part"}, {"between"}}};
  for (const HostChange& h : check.host_changes) {
    table.rows.push_back({.cells = {{ratio_text(h), Tone::warning},
                                    text_cell(h.machine->name),
                                    part_title(h.part),
                                    between_text(check, h)}});
  }
  return table;
}

/// Adds a sentence for each of the latest changes of the host.
void tell_host_changes(const HistoryCheck& check, std::vector<Sentence>& answer) {
  constexpr std::size_t most = 3;
  const std::size_t count = check.host_changes.size();
  for (std::size_t i = count > most ? count - most : 0; i < count; ++i) {
    const HostChange& host = check.host_changes[i];
    const std::string which =
        check.history->machines.size() > 1 ? "The machine " + printable(host.machine->name) : "The machine";
    add_sentence(answer,
                 fmt::format("{} itself became {} between {}: its {} takes {} as long.", which,
                             host.ratio > 1 ? "slower" : "faster", between_text(check, host),
                             part_title(host.part), factor_text(host.ratio)),
                 Tone::warning);
  }
}

/// The newest time of a series next to those before it.
struct NewestTime {
  const Series* series = nullptr;
  std::size_t runs = 0;
  double seconds = 0;
  std::optional<double> before = {}, change = {};

  double size() const { return change ? std::abs(std::log(*change)) : -1; }
};

NewestTime newest_time(const Series& series) {
  std::vector<double> seconds;
  for (const Measurement& m : series.measurements) {
    if (m.status == Status::ok) seconds.push_back(m.seconds);
  }
  NewestTime newest{.series = &series, .runs = seconds.size()};
  if (seconds.empty()) return newest;
  newest.seconds = seconds.back();
  seconds.pop_back();
  newest.before = median_if_any(std::move(seconds));
  if (newest.before) newest.change = newest.seconds / *newest.before;
  return newest;
}

/// The newest time of each series, the largest difference from those before first.
Table series_table(const HistoryCheck& check) {
  constexpr std::size_t most = 50;
  const History& history = *check.history;
  Table table{.title = "Newest time, and the median of those before",
              .columns = {essential("case"),
                          {"runs", CellKind::count},
                          essential("newest", CellKind::seconds),
                          {"before", CellKind::seconds},
                          essential("change", CellKind::change)}};
  std::vector<NewestTime> all;
  for (const Series& series : history.series) {
    if (const NewestTime newest = newest_time(series); newest.runs > 0) all.push_back(newest);
  }
  if (all.size() > most) table.title += fmt::format(": {} of {} series", most, count_text(all.size()));
  std::ranges::stable_sort(all, std::greater(), &NewestTime::size);
  if (all.size() > most) all.resize(most);
  for (const NewestTime& one : all) {
    const auto machine = std::ranges::find(history.machines, one.series->machine, &Machine::id);
    if (machine == history.machines.end()) continue;
    table.rows.push_back({.cells = {describe_series(*one.series, *machine, history), one.runs, one.seconds,
                                    one.before, one.change}});
  }
  return table;
}

/// One sentence for each kind of trouble, the worst first; empty if there is none.
std::string trouble_text(const HistoryCheck& check) {
  const auto count = [&](Status status) {
    return std::ranges::count(check.failures, status, &Failure::status);
  };
  const auto wrong = count(Status::wrong), implausible = count(Status::implausible);
  const auto failed = std::ssize(check.failures) - wrong - implausible;
  const auto slower = count_in(check, ChangeState::fresh);
  std::vector<std::string> said;
  if (wrong > 0)
    said.push_back(fmt::format("{} wrong results in the newest run.",
                               counted_text(wrong, "case computes", "cases compute")));
  if (implausible > 0)
    said.push_back(fmt::format("{} an impossibly short time in the newest run.",
                               counted_text(implausible, "case has", "cases have")));
  if (failed > 0)
    said.push_back(fmt::format("{} not ok in the newest run.", counted_text(failed, "case is", "cases are")));
  if (slower > 0)
    said.push_back(fmt::format("{} slower, and nobody has accepted {}.",
                               counted_text(slower, "change is", "changes are"),
                               slower == 1 ? "it" : "them"));
  return fmt::format("{}", fmt::join(said, " "));
}

struct HistoryAnswer {
  std::string_view in_short;
  std::string why;
  Tone tone;
};

HistoryAnswer answer_of(const HistoryCheck& check) {
  if (std::string trouble = trouble_text(check); !trouble.empty())
    return {.in_short = "FAIL", .why = std::move(trouble), .tone = Tone::bad};
  if (check.is_too_young())
    return {.in_short = "Too early to tell",
            .why = fmt::format("{} of {} runs recorded: changes can be found from {} on.", check.most_values,
                               check.values_needed, check.values_needed),
            .tone = Tone::warning};
  if (check.series == 0)
    return {.in_short = "Nothing to check", .why = "no run has a time of any case.", .tone = Tone::warning};
  return {.in_short = "PASS",
          .why = fmt::format("nothing new is slower in {}.", counted_text(check.series, "series", "series")),
          .tone = Tone::best};
}

}  // namespace

Document document_of(const CheckedHistory& checked) {
  const HistoryCheck& check = checked.check;
  const History& history = *check.history;
  const HistoryAnswer answer = answer_of(check);
  Document document{.title = fmt::format("{}: {}", answer.in_short, answer.why), .tone = answer.tone};
  document.about = fmt::format("{} · {} · {} · {}", printable(checked.store),
                               counted_text(runs_in(history), "run", "runs"),
                               counted_text(history.machines.size(), "machine", "machines"),
                               counted_text(check.series, "series", "series"));
  Card card{.id = "history", .question = "Did anything get slower?"};
  card.short_answer = answer.in_short;
  if (const auto better = count_in(check, ChangeState::better); better > 0)
    add_sentence(card.answer,
                 fmt::format("{} faster.", capitalised(counted_text(better, "change is", "changes are"))));
  tell_host_changes(check, card.answer);
  std::vector<Chart> charts = history_charts(check);
  card.picture = take_first(charts);
  for (Table table :
       {failures_table(check), changes_table(check, shown_states[0]), suspicions_table(check, true),
        suspicions_table(check, false), changes_table(check, shown_states[1])})
    add_table(card.tables, std::move(table));
  for (const Shown& shown : shown_states) {
    const auto count = count_in(check, shown.state);
    if (shown.tone != Tone::quiet || count == 0) continue;
    add_sentence(card.answer, fmt::format("{}: {}.", shown.title, counted_text(count, "change", "changes")),
                 Tone::quiet);
    card.folds.push_back(
        {.title = fmt::format("{} ({})", shown.title, count), .tables = {changes_table(check, shown)}});
  }
  if (!check.host_changes.empty())
    card.folds.push_back(
        {.title = fmt::format("Changes of the machine itself ({})", check.host_changes.size()),
         .tables = {host_changes_table(check)}});
  // A history in which nothing happened shows its times.
  if (card.tables.empty()) add_table(card.tables, series_table(check));
  if (!charts.empty()) card.folds.push_back(more_pictures(std::move(charts)));
  document.cards.push_back(std::move(card));
  if (check.untold > 0 && check.untold < check.series)
    add_sentence(
        document.notes,
        fmt::format("{} of {} series {} too short for a change to be found: {} runs are needed.",
                    check.untold, check.series, check.untold == 1 ? "is" : "are", check.values_needed),
        Tone::warning);
  if (exit_status(check) == 1 || !check.failures.empty())
    add_sentence(document.notes,
                 fmt::format("To accept what is intended: breakeven history accept {} --filter REGEX",
                             shell_file(printable(checked.store))));
  add_sentence(document.notes,
               fmt::format("Changes of less than {} do not matter here (--threshold). Where nothing changed, "
                           "at most {} of such checks find something.",
                           percent_text(check.options.threshold), percent_text(check.options.level)),
               Tone::quiet);
  return document;
}

}  // namespace breakeven
