#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>

#include "reports/document/cards.h"
#include "reports/document/descriptions.h"
#include "reports/document/makers.h"
#include "reports/document/names.h"
#include "reports/document/numbers.h"
#include "reports/metrics.h"
#include "reports/text.h"
#include "workloads/workload.h"

namespace breakeven {
namespace {

/// The steps that every backend of the problem has taken: losses are compared at the last of them.
std::size_t common_losses(const Problem& problem) {
  std::size_t fewest = SIZE_MAX;
  for (const Entry& entry : problem.entries) {
    const auto& training = entry.result->training;
    if (training && !training->loss.empty()) fewest = std::min(fewest, training->loss.size());
  }
  return fewest;
}

std::string loss_text(double loss) {
  return std::isfinite(loss) ? format_number(loss) : "diverged";
}

struct ResultColumn {
  TableColumn column;
  std::function<TableCell(const Problem&, const Entry&)> cell;
};

Tone tone_of(const Entry& entry) {
  switch (entry.standing) {
    case Standing::fastest:
      return Tone::best;
    case Standing::as_fast:
      return Tone::good;
    case Standing::slower:
      return entry.ratio.value >= 2 ? Tone::warning : Tone::plain;
    case Standing::not_distinct:
    case Standing::alone:
    case Standing::none:
      break;
  }
  return Tone::plain;
}

Tone tone_of(Status status) {
  return status == Status::ok            ? Tone::plain
         : status == Status::unsupported ? Tone::quiet
         : status == Status::interrupted ? Tone::warning
                                         : Tone::bad;
}

TableCell comparison(const Entry& entry) {
  const CaseResult& c = *entry.result;
  if (c.status == Status::ok) return {describe_standing(entry), tone_of(entry)};
  return {fmt::format("{}: {}", status_text(c.status), explain(c)), tone_of(c.status)};
}

std::string notes_of(const CaseResult& c) {
  std::vector<std::string> parts;
  if (c.status == Status::ok && !c.algorithm.empty()) parts.push_back(printable(c.algorithm));
  for (const std::string& warning : c.warnings) parts.push_back(printable(warning));
  return fmt::format("{}", fmt::join(parts, "; "));
}

/// A metric where the result is ok and `holds`.
ResultColumn metric(std::string_view metric_name, bool essential = false,
                    bool (*holds)(const CaseResult&) = nullptr) {
  const Metric& metric = find_metric(metric_name);
  return {{.name = std::string(metric.heading), .kind = metric.cell, .essential = essential},
          [&metric, holds](const Problem&, const Entry& e) {
            if (e.result->status != Status::ok || (holds != nullptr && !holds(*e.result))) return TableCell{};
            return TableCell(value_of(metric, {.run = e.run, .result = e.result, .roofline = e.roofline}));
          }};
}

TableCell ceiling_share(const Problem&, const Entry& e) {
  if (!e.roofline) return {};
  return {std::optional(e.roofline->share), e.roofline->arithmetic ? "arithmetic" : "memory"};
}

TableCell losses(const Problem& problem, const Entry& e) {
  const auto& training = e.result->training;
  if (!training || training->loss.empty()) return {};
  const std::size_t shown = common_losses(problem);
  const auto steps =
      static_cast<double>(shown) * static_cast<double>(std::max<std::int64_t>(1, training->loss_stride));
  return text_cell(fmt::format("{} → {} in {} steps", loss_text(training->loss.front()),
                               loss_text(training->loss[shown - 1]), count_text(steps)));
}

TableCell time_to_target(const Problem&, const Entry& e) {
  if (!e.result->training) return {};
  if (e.result->training->seconds_to_accuracy) return e.result->training->seconds_to_accuracy;
  const Value* target = e.result->parameters.find("target_accuracy");
  const bool is_asked = target != nullptr && *target != Value(0.0) && *target != Value(std::int64_t{0});
  return is_asked ? text_cell("not reached") : TableCell{};
}

/// Every machine of the last decade does ten operations and more in the time of moving one byte: below that,
/// memory decides.
bool memory_decides(const CaseResult& c) {
  constexpr double operations_per_byte = 10;
  return c.bytes > 0 && c.flop < operations_per_byte * c.bytes;
}

bool counts_operations(const CaseResult& c) {
  return c.flop > 0 && c.samples == 0;  // people know the images a second of a network
}

const std::vector<ResultColumn>& columns() {
  static const std::vector<ResultColumn> all{
      {{.name = "machine", .can_choose = true},
       [](const Problem&, const Entry& e) { return text_cell(printable(e.run->host.name)); }},
      {{.name = "backend", .essential = true, .can_choose = true},
       [](const Problem&, const Entry& e) { return text_cell(backend_title(e.result->backend)); }},
      {{.name = "device", .can_choose = true},
       [](const Problem&, const Entry& e) {
         return e.result->device == "cpu" ? TableCell{} : text_cell(printable(e.result->device));
       }},
      metric("seconds", true),
      metric("spread", true),
      metric("fit_largest", true),
      {{.name = "limited by"},
       [](const Problem&, const Entry& e) {
         return e.result->fit ? text_cell(printable(e.result->fit->limit)) : TableCell{};
       }},
      metric("gflops", false, counts_operations),
      metric("samples_per_second"),
      metric("gbps", false, memory_decides),
      {{.name = "of ceiling", .kind = CellKind::percent}, ceiling_share},
      metric("device_seconds"),
      metric("joules"),
      metric("latency_p50"),
      metric("latency_p99"),
      {{.name = "loss"}, losses},
      metric("accuracy"),
      {{.name = "to target", .kind = CellKind::seconds}, time_to_target},
      metric("epoch_seconds"),
      {{.name = "compared", .essential = true}, [](const Problem&, const Entry& e) { return comparison(e); }},
      {{.name = "notes", .page_only = true},
       [](const Problem&, const Entry& e) { return text_cell(notes_of(*e.result)); }},
  };
  return all;
}

}  // namespace

std::vector<Table> result_tables(const std::vector<ProblemGroup>& groups, bool several_machines) {
  std::vector<Table> tables;
  for (const ProblemGroup& group : groups) {
    Table table{
        .title = capitalised(plural_of(group.op)), .columns = {}, .rows = {}, .group_name = "problem"};
    if (find_workload(group.op) == nullptr) table.title = group.op;
    std::vector<const ResultColumn*> used;
    for (const ResultColumn& column : columns()) {
      if (column.column.name == "machine" && !several_machines) continue;
      used.push_back(&column);
      table.columns.push_back(column.column);
    }
    for (const Problem& problem : group.problems) {
      for (const Entry& entry : problem.entries) {
        TableRow row{.cells = {}, .group = problem.title};
        for (const ResultColumn* column : used) row.cells.push_back(column->cell(problem, entry));
        table.rows.push_back(std::move(row));
      }
    }
    // Rows of one problem stand together, whichever machine they are from.
    std::unordered_map<std::string, std::size_t> order;
    for (const TableRow& row : table.rows) order.try_emplace(row.group, order.size());
    std::stable_sort(table.rows.begin(), table.rows.end(), [&](const TableRow& a, const TableRow& b) {
      return order.at(a.group) < order.at(b.group);
    });
    tables.push_back(std::move(table));
  }
  return tables;
}

}  // namespace breakeven
