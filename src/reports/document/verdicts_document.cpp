#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/charts/chart.h"
#include "reports/document/about.h"
#include "reports/document/builders.h"
#include "reports/document/cell_makers.h"
#include "reports/document/descriptions.h"
#include "reports/document/names.h"
#include "reports/document/numbers.h"
#include "reports/document/verdict_findings.h"
#include "reports/text.h"
#include "statistics/summary.h"
#include "verdicts/decision.h"
#include "verdicts/overview.h"

namespace breakeven {
namespace {

Tone tone_of(FindingKind kind) {
  switch (kind) {
    case FindingKind::wrong:
    case FindingKind::slower:
    case FindingKind::missing:
      return Tone::bad;
    case FindingKind::incomparable:
    case FindingKind::inconclusive:
      return Tone::warning;
    case FindingKind::not_slower:
    case FindingKind::faster:
    case FindingKind::same:
      return Tone::good;
    case FindingKind::added:
    case FindingKind::unsupported:
      return Tone::quiet;
  }
  return Tone::plain;
}

Tone tone_of(const Verdicts& verdicts) {
  switch (exit_status(verdicts)) {
    case 0:
      return Tone::best;
    case 1:
      return Tone::bad;
    default:
      return Tone::warning;
  }
}

std::string short_answer(const Verdicts& verdicts) {
  const std::string said = headline(verdicts);
  return said.substr(0, said.find_first_of(":."));
}

// ---- what was compared

Table sides_table(const Verdicts& verdicts) {
  Table table{.title = "Compared",
              .columns = {{.name = "", .essential = true},
                          {.name = "from", .essential = true},
                          {.name = "threads", .essential = true},
                          {.name = "software", .essential = true}}};
  const auto add = [&](const char* which, const Side& side) {
    std::vector<std::string> software;
    for (const BackendRecord& backend : side.backends) {
      if (backend.available) software.push_back(describe_backend(backend));
    }
    table.rows.push_back({.cells = {{.value = which},
                                    {.value = describe_side(side)},
                                    text_cell(side.threads > 0 ? fmt::format("{}", side.threads) : ""),
                                    {.value = fmt::format("{}", fmt::join(software, "; "))}}});
  };
  add("base", verdicts.base);
  add("head", verdicts.head);
  return table;
}

/// The head's machine with the threads of a side.
Host host_of(const Verdicts& verdicts, const Side& side) {
  Host host = verdicts.host;
  if (side.threads > 0) host.threads = side.threads;
  return host;
}

/// The machine without its threads, where the sides differ in them.
Host common_host(const Verdicts& verdicts) {
  Host host = verdicts.host;
  if (host_of(verdicts, verdicts.base).threads != host_of(verdicts, verdicts.head).threads) host.threads = 0;
  return host;
}

Fold side_fold(const char* which, const Verdicts& verdicts, const Side& side) {
  Fold fold{.title = fmt::format("Hardware and software of the {}{}", which,
                                 side.name.empty() ? "" : ", " + printable(side.name)),
            .sentences = machine_sentences(host_of(verdicts, side), side.backends)};
  for (const auto& [name, value] : side.environment)
    fold.sentences.push_back({.text = printable(fmt::format("set for it alone: {}={}", name, value))});
  return fold;
}

// ---- the findings

TableRow finding_row(const CaseVerdict& c) {
  const FindingKind kind = finding_kind(c);
  return {.cells = {{.value = std::string(name(kind)), .tone = tone_of(kind)},
                    text_cell(describe_change(c)),
                    text_cell(describe_case(c)),
                    text_cell(describe_times(c)),
                    text_cell(describe_details(c))}};
}

std::vector<TableColumn> finding_columns() {
  return {{.name = "verdict", .essential = true, .can_choose = true},
          {.name = "change", .essential = true},
          {.name = "case", .essential = true},
          {.name = "median time"},
          {.name = "why"}};
}

/// Cases that cannot be compared for one cause are one row.
Table findings_table(const Verdicts& verdicts) {
  Table table{.title = "Findings, the worst first", .columns = finding_columns()};
  bool causes_told = false;
  for (const CaseVerdict* c : worst_first(verdicts)) {
    const FindingKind kind = finding_kind(*c);
    if (kind != FindingKind::incomparable && kind != FindingKind::missing) {
      table.rows.push_back(finding_row(*c));
      continue;
    }
    if (causes_told) continue;
    causes_told = true;
    for (const CauseGroup& group : incomparable_by_cause(verdicts)) {
      TableRow row = finding_row(*group.cases.front());
      if (group.cases.size() > 1) {
        row.cells[2] = {.value = counted_text(group.cases.size(), "case", "cases")};
        row.cells[3] = {};
        row.cells[4] = text_cell(printable(group.reason.empty() ? group.cause : group.reason));
      }
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

Table all_cases(const Verdicts& verdicts) {
  Table table{.title = "Cases", .columns = finding_columns()};
  for (const CaseVerdict& c : verdicts.cases) table.rows.push_back(finding_row(c));
  return table;
}

// ---- pictures

/// Cases with a ratio, the largest changes first.
std::vector<const CaseVerdict*> measured_cases(const Verdicts& verdicts) {
  std::vector<const CaseVerdict*> cases;
  for (const CaseVerdict& c : verdicts.cases) {
    if (c.ratio && std::isfinite(c.ratio->value) && c.ratio->value > 0) cases.push_back(&c);
  }
  std::stable_sort(cases.begin(), cases.end(), [](const CaseVerdict* a, const CaseVerdict* b) {
    return a->ratio->value > b->ratio->value;
  });
  return cases;
}

std::optional<Chart> changes_chart(const Verdicts& verdicts) {
  constexpr std::size_t most = 20;
  std::vector<const CaseVerdict*> cases = measured_cases(verdicts);
  if (cases.empty()) return std::nullopt;
  Chart chart{.name = "changes",
              .title = "Head's time over base's, with its 95 % interval",
              .kind = Chart::Kind::intervals,
              .x = {},
              .y = {.label = "times base's time", .logarithmic = true, .unit = ChartUnit::ratio},
              .categories = {},
              .series = {{.label = "head over base", .points = {}}},
              .reference = 1,
              .tolerance = verdicts.threshold};
  if (cases.size() > most) {
    // The slowest and the fastest tell most.
    chart.note = fmt::format("{} cases between these are in the table", cases.size() - most);
    cases.erase(cases.begin() + most / 2, cases.end() - most / 2);
  }
  for (const CaseVerdict* c : cases) {
    chart.series.front().points.push_back({.x = static_cast<double>(chart.categories.size()),
                                           .y = c->ratio->value,
                                           .low = c->ratio->low,
                                           .high = c->ratio->high});
    chart.categories.push_back(describe_case(*c));
  }
  return chart;
}

/// All samples of both sides, for the cases that changed most.
std::optional<Chart> samples_chart(const Verdicts& verdicts) {
  constexpr std::size_t most = 6;
  Chart chart{.name = "samples",
              .title = "Every sample of both sides, over base's median",
              .kind = Chart::Kind::distributions,
              .x = {},
              .y = {.label = "times base's median", .unit = ChartUnit::ratio},
              .categories = {},
              .series = {{.label = "base", .points = {}}, {.label = "head", .points = {}}},
              .reference = 1};
  for (const CaseVerdict* c : measured_cases(verdicts)) {
    if (c->launches.empty() || chart.categories.size() == most) continue;
    std::vector<double> base;
    for (const LaunchSamples& launch : c->launches)
      base.insert(base.end(), launch.base.begin(), launch.base.end());
    const double middle = base.empty() ? 0 : median(base);
    if (!(middle > 0) || !std::isfinite(middle)) continue;
    const auto x = static_cast<double>(chart.categories.size());
    for (const LaunchSamples& launch : c->launches) {
      for (const auto& [samples, series] : {std::pair(&launch.base, 0U), std::pair(&launch.head, 1U)}) {
        for (const double sample : *samples) {
          if (std::isfinite(sample) && sample > 0)
            chart.series[series].points.push_back({.x = x, .y = sample / middle});
        }
      }
    }
    chart.categories.push_back(describe_case(*c));
  }
  if (chart.categories.empty()) return std::nullopt;
  return chart;
}

}  // namespace

Document document_of(const Verdicts& verdicts) {
  Document document{.title = headline(verdicts), .tone = tone_of(verdicts)};
  std::vector<std::string> about{printable(verdicts.host.name), describe_host(common_host(verdicts)),
                                 date_text(verdicts.created)};
  if (!verdicts.tool_version.empty()) about.push_back("breakeven " + printable(verdicts.tool_version));
  std::erase(about, "");
  document.about = fmt::format("{}", fmt::join(about, " · "));

  Card card{.id = "verdict",
            .question = "Is the head slower than the base?",
            .short_answer = short_answer(verdicts)};
  if (const auto overall = overall_change(verdicts); overall && overall->cases > 1)
    card.answer.push_back({.text = fmt::format("Over the {} cases compared, the mean change is {}.",
                                               overall->cases, change_text(overall->ratio))});
  card.tables.push_back(sides_table(verdicts));
  Table findings = findings_table(verdicts);
  if (!findings.rows.empty()) card.tables.push_back(std::move(findings));
  card.picture = changes_chart(verdicts);
  if (auto samples = samples_chart(verdicts))
    card.folds.push_back({.title = "Every sample, side by side", .charts = {std::move(*samples)}});
  card.details.push_back(all_cases(verdicts));
  const std::string method = fmt::format("A change of less than {} does not matter here (--threshold). {}",
                                         percent_text(verdicts.threshold), printable(verdicts.method));
  card.folds.push_back({.title = "How this was decided", .sentences = {{.text = method}}});
  document.cards.push_back(std::move(card));

  if (!verdicts.complete)
    document.notes.push_back({.text = "It ended before every case was decided.", .tone = Tone::warning});
  for (const std::string& warning : verdicts.warnings)
    document.notes.push_back({.text = printable(warning), .tone = Tone::warning});
  for (const std::string& note : verdicts.notes)
    document.notes.push_back({.text = printable(note), .tone = Tone::quiet});
  document.folds.push_back(side_fold("base", verdicts, verdicts.base));
  document.folds.push_back(side_fold("head", verdicts, verdicts.head));
  return document;
}

}  // namespace breakeven
