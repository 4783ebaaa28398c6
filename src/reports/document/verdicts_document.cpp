#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <set>
#include <utility>

#include "reports/document/builders.h"
#include "reports/document/cards.h"
#include "reports/document/names.h"
#include "reports/document/numbers.h"
#include "reports/document/verdict_findings.h"
#include "reports/text.h"
#include "reports/words/change_text.h"
#include "reports/words/notes.h"
#include "statistics/summary.h"
#include "text/counted.h"
#include "verdicts/machines.h"
#include "verdicts/overview.h"

namespace breakeven {
namespace {

/// In the order of FindingKind.
constexpr std::array<Tone, 10> tones{Tone::bad,  Tone::warning, Tone::bad,   Tone::bad,  Tone::warning,
                                     Tone::good, Tone::good,    Tone::quiet, Tone::good, Tone::quiet};

// ---- what was compared

Table sides_table(const Verdicts& verdicts) {
  Table table{.title = "Compared",
              .columns = {essential(""), essential("from"), essential("threads"), essential("software")}};
  for (const auto& [which, side] : {std::pair("base", &verdicts.base), std::pair("head", &verdicts.head)}) {
    std::vector<std::string> software;
    for (const BackendRecord& backend : side->backends) {
      if (backend.available) software.push_back(describe_backend(backend));
    }
    table.rows.push_back(
        {.cells = {which, describe_side(*side),
                   side->threads > 0 ? TableCell(fmt::format("{}", side->threads)) : TableCell(),
                   fmt::format("{}", fmt::join(software, "; "))}});
  }
  return table;
}

/// The head's machine with the number of threads of a side.
Host host_of(const Verdicts& verdicts, const Side& side) {
  Host host = verdicts.host;
  if (side.threads > 0) host.threads = side.threads;
  return host;
}

/// The machine, without the number of threads if the sides differ in it.
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
    add_sentence(fold.sentences, fmt::format("set for it alone: {}={}", name, value));
  return fold;
}

// ---- the findings

bool is_change(const CaseVerdict& c) {
  return c.verdict == Verdict::slower || c.verdict == Verdict::faster;
}

/// The devices on which cases changed, with the processor first: "this machine's processor (EPYC 9654) and
/// GPU (NVIDIA H100)". Empty if none changed.
std::string changed_devices(const Verdicts& verdicts) {
  bool on_cpu = false;
  bool on_gpu = false;
  std::set<std::string> gpus;
  for (const CaseVerdict& c : verdicts.cases) {
    if (!is_change(c)) continue;
    (c.device == "gpu" ? on_gpu : on_cpu) = true;
    for (const BackendRecord& backend : verdicts.head.backends) {
      if (c.device == "gpu" && backend.name == c.backend && !backend.device_name.empty())
        gpus.insert(printable(backend.device_name));
    }
  }
  std::vector<std::string> devices;
  if (on_cpu) devices.push_back(fmt::format("processor ({})", processor_name(verdicts.host)));
  if (on_gpu) devices.push_back(gpus.empty() ? "GPU" : fmt::format("GPU ({})", fmt::join(gpus, ", ")));
  return devices.empty() ? "" : "this machine's " + joined_text(devices);
}

/// A cell with the change, and its interval below it.
TableCell change_cell(const CaseVerdict& c) {
  if (!c.ratio || c.verdict == Verdict::incomparable) return text_cell(describe_change(c));
  TableCell cell = change_text(c.ratio->value);
  cell.note = fmt::format("({})", interval_text(*c.ratio));
  return cell;
}

TableRow finding_row(const CaseVerdict& c) {
  const FindingKind kind = finding_kind(c);
  return {.cells = {{std::string(name(kind)), tones.at(static_cast<std::size_t>(kind))},
                    change_cell(c),
                    text_cell(describe_case(c)),
                    text_cell(describe_times(c)),
                    text_cell(describe_details(c)),
                    text_cell(describe_notes(c))}};
}

Table table_of_findings(const char* title) {
  return {.title = title,
          .columns = {{.name = "verdict", .essential = true, .can_choose = true},
                      essential("change"),
                      essential("case"),
                      {.name = "median time"},
                      {.name = "why"},
                      {.name = "notes"}}};
}

/// With at most this many cases, unchanged ones are shown as well.
constexpr std::size_t few_cases = 8;

/// Why the cases of a group were not compared. Reasons such as "interrupted" do not say which side was.
std::string why_not_compared(const CauseGroup& group) {
  const CaseVerdict& first = *group.cases.front();
  const bool was_interrupted =
      first.base_status == Status::interrupted || first.head_status == Status::interrupted;
  return group.reason.empty() || was_interrupted ? group.cause : group.reason;
}

/// The table of findings. Cases that cannot be compared for the same reason share one row, at the place of
/// the first.
Table findings_table(const Verdicts& verdicts) {
  Table table = table_of_findings("Findings, the worst first");
  bool causes_told = false;
  for (const CaseVerdict* c : worst_first(verdicts, verdicts.cases.size() <= few_cases)) {
    const FindingKind kind = finding_kind(*c);
    if (kind != FindingKind::incomparable && kind != FindingKind::missing) {
      table.rows.push_back(finding_row(*c));
      continue;
    }
    if (std::exchange(causes_told, true)) continue;
    for (const CauseGroup& group : incomparable_by_cause(verdicts)) {
      TableRow& row = table.rows.emplace_back(finding_row(*group.cases.front()));
      if (group.cases.size() == 1) continue;
      row.cells[2] = counted_text(group.cases.size(), "case", "cases");
      row.cells[3] = {};
      row.cells[4] = text_cell(why_not_compared(group));
      row.cells[5] = {};
    }
  }
  return table;
}

Table all_cases(const Verdicts& verdicts) {
  Table table = table_of_findings("Cases");
  for (const CaseVerdict& c : verdicts.cases) table.rows.push_back(finding_row(c));
  return table;
}

/// The mean change, with its interval if that is known.
std::string mean_change_text(const OverallChange& overall) {
  if (!overall.interval) return change_text(overall.ratio);
  return change_text({.value = overall.ratio, .low = overall.interval->low, .high = overall.interval->high});
}

// ---- pictures

/// Cases with a ratio, the largest changes first.
std::vector<const CaseVerdict*> measured_cases(const Verdicts& verdicts) {
  std::vector<const CaseVerdict*> cases;
  for (const CaseVerdict& c : verdicts.cases) {
    if (c.ratio && std::isfinite(c.ratio->value) && c.ratio->value > 0) cases.push_back(&c);
  }
  std::ranges::stable_sort(cases, std::greater(), [](const CaseVerdict* c) { return c->ratio->value; });
  return cases;
}

std::optional<Chart> changes_chart(const Verdicts& verdicts) {
  constexpr std::size_t most = 20;
  std::vector<const CaseVerdict*> cases = measured_cases(verdicts);
  if (cases.empty()) return std::nullopt;
  Chart chart = ratio_chart("changes", "Head's time over base's, with its 95 % interval",
                            Chart::Kind::intervals, "times base's time");
  chart.y.logarithmic = true;
  chart.series = {{.label = "head over base", .points = {}}};
  chart.tolerance = verdicts.threshold;
  if (cases.size() > most) {
    // Keeps the slowest and the fastest cases, which matter most.
    chart.note =
        fmt::format("{} between these {} in the table", counted_text(cases.size() - most, "case", "cases"),
                    cases.size() - most == 1 ? "is" : "are");
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
  Chart chart = ratio_chart("samples", "Every sample of both sides, over base's median",
                            Chart::Kind::distributions, "times base's median");
  chart.series = {{.label = "base", .points = {}}, {.label = "head", .points = {}}};
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
  if (verdicts.kind == "gate")
    chart.note = "A change is that of pairs of samples, from which the ratio of these medians may differ.";
  return chart;
}

}  // namespace

Document document_of(const Verdicts& verdicts) {
  Document document{.title = headline(verdicts), .tone = tone_of_status(exit_status(verdicts))};
  document.about = about_line({verdicts.host.name, describe_host(common_host(verdicts)),
                               date_text(verdicts.created), tool_text(verdicts.tool_version)});
  Card card{.id = "verdict",
            .question = "Is the head slower than the base?",
            .short_answer = headline_in_short(verdicts)};
  if (const auto overall = overall_change(verdicts); overall && overall->cases > 1)
    add_sentence(card.answer, fmt::format("Over the {} cases compared, the mean change is {}.",
                                          overall->cases, mean_change_text(*overall)));
  if (const std::string devices = changed_devices(verdicts); !devices.empty())
    add_sentence(card.answer, fmt::format("This holds for {}. Another one may run the same change slower or "
                                          "faster: gate it there, too.",
                                          devices));
  card.tables.push_back(sides_table(verdicts));
  add_table(card.tables, findings_table(verdicts));
  card.picture = changes_chart(verdicts);
  if (auto samples = samples_chart(verdicts))
    card.folds.push_back({.title = "Every sample, side by side", .charts = {std::move(*samples)}});
  card.details.push_back(all_cases(verdicts));
  Fold& method = card.folds.emplace_back(Fold{.title = "How this was decided"});
  add_sentence(method.sentences, fmt::format("A change of less than {} does not matter here (--threshold).",
                                             percent_text(verdicts.threshold)));
  for (const Note& note : verdicts.method) add_sentence(method.sentences, note_text(note));
  document.cards.push_back(std::move(card));

  if (!verdicts.complete)
    add_sentence(document.notes, "It ended before every case was decided.", Tone::warning);
  for (const Note& warning : verdicts.warnings)
    add_sentence(document.notes, note_text(warning), Tone::warning);
  for (const std::string& note : verdicts.notes) add_sentence(document.notes, note, Tone::quiet);
  document.folds.push_back(side_fold("base", verdicts, verdicts.base));
  document.folds.push_back(side_fold("head", verdicts, verdicts.head));
  return document;
}

}  // namespace breakeven
