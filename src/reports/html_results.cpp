#include "reports/html_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "reports/charts.h"
#include "reports/comparison.h"
#include "reports/headlines.h"
#include "reports/html.h"
#include "reports/text.h"
#include "reports/threshold_chart.h"
#include "results/json_parts.h"
#include "statistics/mean.h"

namespace breakeven {
namespace {

using Json = nlohmann::ordered_json;

HtmlTable empty_results_table() {
  using enum HtmlCells;
  return {.title = "All results",
          .columns = {{.name = "operation", .can_choose = true, .if_several = true},
                      {.name = "problem"},
                      {.name = "machine", .can_choose = true, .if_several = true},
                      {.name = "backend", .can_choose = true},
                      {.name = "device", .can_choose = true, .if_several = true},
                      {.name = "dtype", .can_choose = true},
                      {.name = "status", .can_choose = true},
                      {.name = "time", .cells = seconds},
                      {.name = "95 %", .cells = spread},
                      {.name = "compared"},
                      {.name = "GFLOP/s", .cells = number},
                      {.name = "GB/s", .cells = number},
                      {.name = "images/s", .cells = number},
                      {.name = "energy", .cells = joules},
                      {.name = "of ceiling", .cells = percent},
                      {.name = "notes"}}};
}

/// As the columns of empty_results_table().
Json result_row(const std::string& op, const Problem& problem, const Entry& entry) {
  const CaseResult& c = *entry.result;
  const bool is_timed = c.has_time();
  const auto per_second = [&](double amount) {
    return is_timed && amount > 0 ? number_or_null(amount / c.seconds->median) : Json(nullptr);
  };
  std::string note = c.status == Status::ok ? printable(c.algorithm) : explain(c);
  for (const std::string& warning : c.warnings)
    note += fmt::format("{}{}", note.empty() ? "" : "; ", printable(warning));
  if (c.fit) note = describe_fit(*c.fit);
  return {op,
          problem.title,
          printable(entry.run->host.name),
          printable(c.backend),
          printable(c.device),
          printable(c.dtype),
          name(c.status),
          is_timed ? number_or_null(c.seconds->median) : Json(nullptr),
          is_timed ? number_or_null(relative_half_width(c.seconds->estimate())) : Json(nullptr),
          describe_standing(entry),
          c.samples == 0 ? per_second(c.flop * 1e-9) : Json(nullptr),
          per_second(c.bytes * 1e-9),
          per_second(static_cast<double>(c.samples)),
          is_timed ? number_or_null(c.joules) : Json(nullptr),
          entry.roofline ? number_or_null(entry.roofline->share) : Json(nullptr),
          note};
}

HtmlTable results_table(std::span<const Result> results) {
  HtmlTable table = empty_results_table();
  for (const ProblemGroup& group : compare(results)) {
    for (const Problem& problem : group.problems) {
      for (const Entry& entry : problem.entries) table.rows.push_back(result_row(group.op, problem, entry));
    }
  }
  return table;
}

HtmlTable empty_thresholds_table() {
  using enum HtmlCells;
  return {.title = "What the thresholds were found by",
          .columns = {{.name = "question", .can_choose = true, .if_several = true},
                      {.name = "machine", .can_choose = true, .if_several = true},
                      {.name = "value", .cells = number},
                      {.name = "baseline"},
                      {.name = "its time", .cells = seconds},
                      {.name = "its energy", .cells = joules},
                      {.name = "its cost", .cells = number},
                      {.name = "challenger"},
                      {.name = "its time ", .cells = seconds},
                      {.name = "its energy ", .cells = joules},
                      {.name = "its cost ", .cells = number},
                      {.name = "challenger ahead, times", .cells = number},
                      {.name = "launches", .cells = number},
                      {.name = "notes"}}};
}

HtmlTable thresholds_table(std::span<const Threshold> thresholds) {
  HtmlTable table = empty_thresholds_table();
  for (const Threshold& threshold : thresholds) {
    for (const ThresholdAnswer& answer : threshold.answers) {
      for (const ThresholdPoint& point : answer.points) {
        Json row{question_of(answer), printable(threshold.host.name), point.value};
        for (const ThresholdStand& side : point.sides) {
          for (Json cell : {Json(printable(side.backend)), number_or_null(side.seconds),
                            number_or_null(side.joules), number_or_null(side.cost)})
            row.push_back(std::move(cell));
        }
        row.push_back(point.log_ratios.empty() ? Json(nullptr)
                                               : number_or_null(std::exp(-mean(point.log_ratios))));
        row.push_back(point.log_ratios.size());
        row.push_back(printable(point.reason));
        table.rows.push_back(std::move(row));
      }
    }
  }
  return table;
}

std::vector<std::string> findings_text(const std::vector<Finding>& findings) {
  std::vector<std::string> all(findings.size());
  std::transform(findings.begin(), findings.end(), all.begin(), [](const Finding& finding) {
    return fmt::format("{} {}", finding.text, describe_extent(finding));
  });
  return all;
}

void add_backends(HtmlMachine& machine, const std::vector<BackendRecord>& backends) {
  for (const BackendRecord& backend : backends) {
    if (backend.available) {
      machine.facts.push_back(describe_backend(backend));
    } else {
      machine.asides.push_back(fmt::format("not there: {}: {}", backend.name, backend.reason));
    }
  }
}

HtmlMachine machine_of(const Host& host) {
  HtmlMachine made{.name = host.name.empty() ? "unnamed" : host.name, .facts = {describe_host(host)}};
  if (!host.cpu_identity.empty()) made.facts.push_back(host.cpu_identity);
  for (const Gpu& gpu : host.gpus) made.facts.push_back(describe_gpu(gpu));
  made.facts.push_back(fmt::format("{}, {}", host.os, host.kernel));
  return made;
}

void add_origin(HtmlMachine& machine, const std::string& created, const std::string& by, bool complete) {
  machine.asides.push_back(fmt::format("measured {} by breakeven {}", created, by));
  if (!complete) machine.troubles.emplace_back("incomplete: the run was interrupted");
}

/// One of each, in order of appearance, but for empty ones.
class EachOnce {
 public:
  void add(const std::string& text) {
    if (!text.empty() && std::find(all_.begin(), all_.end(), text) == all_.end()) all_.push_back(text);
  }
  std::string joined(const char* between) const { return fmt::format("{}", fmt::join(all_, between)); }

 private:
  std::vector<std::string> all_;
};

void add_heading(HtmlPage& page, const Measured& measured) {
  constexpr std::size_t day = 10;  // of ISO 8601
  EachOnce titles;
  EachOnce names;
  EachOnce days;
  const auto add = [&](const std::string& title, const Host& host, const std::string& created) {
    titles.add(title);
    names.add(host.name);
    days.add(created.substr(0, day));
  };
  for (const Threshold& t : measured.thresholds) add(t.title, t.host, t.created);
  for (const Result& run : measured.results) add(config_title(run), run.host, run.created);
  page.title = titles.joined(" · ");
  if (page.title.empty()) page.title = "Measurements";
  page.about = fmt::format("Measured on {}, {}", names.joined(", "), days.joined(", "));
}

}  // namespace

std::string html_report(const Measured& measured) {
  HtmlPage page;
  add_heading(page, measured);
  page.answers = headlines(measured.results, measured.thresholds);
  if (page.answers.empty()) page.answers = {"No problem was measured in two ways that could be compared."};
  page.charts = charts(measured.results, measured.thresholds);
  if (!measured.results.empty()) page.tables.push_back(results_table(measured.results));
  if (!measured.thresholds.empty()) page.tables.push_back(thresholds_table(measured.thresholds));
  page.failures = findings_text(find_failures(measured.results));
  page.warnings = findings_text(find_warnings(measured.results));
  for (const Result& run : measured.results) {
    HtmlMachine& machine = page.machines.emplace_back(machine_of(run.host));
    add_backends(machine, run.backends);
    add_origin(machine, run.created, run.tool_version, run.complete);
  }
  for (const Threshold& t : measured.thresholds) {
    page.warnings.insert(page.warnings.end(), t.warnings.begin(), t.warnings.end());
    if (t.unlike_precision)
      page.warnings.push_back(
          fmt::format("{}: the sides compute in different types, and so not the same", t.title));
    for (const ThresholdAnswer& answer : t.answers) {
      for (const std::string& note : answer.notes)
        page.warnings.push_back(fmt::format("{}: {}", question_of(answer), note));
    }
    HtmlMachine& machine = page.machines.emplace_back(machine_of(t.host));
    for (const ThresholdContender& side : t.sides) add_backends(machine, side.backends);
    add_origin(machine, t.created, t.tool_version, t.complete);
  }
  return html_text(page);
}

}  // namespace breakeven
