#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "host/own_speed.h"
#include "reports/document/builders.h"
#include "reports/document/names.h"
#include "reports/document/numbers.h"
#include "reports/history.h"
#include "reports/text.h"
#include "reports/words/change_text.h"
#include "reports/words/notes.h"
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

std::string series_text(const Series& series, const Machine& machine, const History& history) {
  const std::string where = history.machines.size() > 1 ? " on " + printable(machine.name) : "";
  return fmt::format("{} {}{}", printable(series.case_id), backend_title(series.backend), where);
}

std::ptrdiff_t count_in(const HistoryCheck& check, ChangeState state) {
  return std::ranges::count(check.changes, state, &Change::state);
}

/// The ratio of a change with its interval, and the runs that it lies between.
template <typename T>
std::string ratio_text(const T& change) {
  return change_text(Ratio{.value = change.ratio, .low = change.interval.low, .high = change.interval.high});
}
template <typename T>
std::string between_text(const HistoryCheck& check, const T& change) {
  return fmt::format("{} and {}", describe_run(check.history->runs[change.last_before]),
                     describe_run(check.history->runs[change.first_after]));
}

Table changes_table(const HistoryCheck& check, const Shown& shown) {
  Table table{.title = shown.title,
              .columns = {essential("change"), essential("case"), {"median time"}, {"between"}, {"notes"}}};
  for (const Change& c : check.changes) {
    if (c.state != shown.state) continue;
    table.rows.push_back(
        {.cells = {{ratio_text(c), shown.tone},
                   series_text(*c.series, *c.machine, *check.history),
                   fmt::format("{} → {}", format_seconds(c.before_seconds), format_seconds(c.after_seconds)),
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
                                    series_text(*f.series, *f.machine, history),
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
                                    series_text(*s.series, *s.machine, *check.history),
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

/// The times of the series that changed most, run by run, relative to their first level.
std::optional<Chart> series_chart(const HistoryCheck& check) {
  constexpr std::size_t most = 4;
  Chart chart = ratio_chart("history", "Median times over the runs, the first of each as 1",
                            Chart::Kind::lines, "times the first");
  chart.x.label = "run";
  const History& history = *check.history;
  const auto add = [&](const Series& series, const Machine& machine) {
    if (chart.series.size() == most) return;
    ChartSeries curve{.label = series_text(series, machine, history), .points = {}};
    double first = 0;
    for (const Measurement& m : series.measurements) {
      if (m.status != Status::ok || !(m.seconds > 0)) continue;
      if (first == 0) first = m.seconds;
      curve.points.push_back({.x = static_cast<double>(history.runs[m.run].id), .y = m.seconds / first});
    }
    const bool is_new = std::ranges::count(chart.series, curve.label, &ChartSeries::label) == 0;
    if (curve.points.size() > 1 && is_new) chart.series.push_back(std::move(curve));
  };
  for (const Change& change : check.changes) add(*change.series, *change.machine);
  for (const Suspicion& suspicion : check.suspicions) add(*suspicion.series, *suspicion.machine);
  for (const Series& series : history.series) {
    const auto machine = std::ranges::find(history.machines, series.machine, &Machine::id);
    if (machine != history.machines.end()) add(series, *machine);
  }
  if (chart.series.empty()) return std::nullopt;
  return chart;
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
  card.picture = series_chart(check);
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
