#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>

#include "reports/document/cards.h"
#include "reports/document/names.h"
#include "reports/document/numbers.h"
#include "reports/metrics.h"
#include "reports/words/notes.h"
#include "results/algorithm.h"
#include "verdicts/overview.h"
#include "workloads/workload.h"

namespace breakeven {
namespace {

/// The number of steps that each entry of the loss curve is the mean of.
double steps_per_loss(const Training& training) {
  return static_cast<double>(std::max<std::int64_t>(1, training.loss_stride));
}

/// The number of steps that every backend of the problem has taken. Losses are compared there.
double common_steps(const Problem& problem) {
  double fewest = INFINITY;
  for (const Entry& entry : problem.entries) {
    const auto& training = entry.result->training;
    if (training && !training->loss.empty())
      fewest = std::min(fewest, static_cast<double>(training->loss.size()) * steps_per_loss(*training));
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
  if (entry.standing == Standing::fastest) return Tone::best;
  if (entry.standing == Standing::as_fast) return Tone::good;
  return entry.standing == Standing::slower && entry.ratio.value >= 2 ? Tone::warning : Tone::plain;
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
  return {status_text(c.status, explain(c)), tone_of(c.status)};
}

std::string notes_of(const CaseResult& c) {
  std::vector<std::string> parts = note_texts(c.warnings);
  if (std::string algorithm = algorithm_with_threads(c); c.status == Status::ok && !algorithm.empty())
    parts.insert(parts.begin(), std::move(algorithm));
  return fmt::format("{}", fmt::join(parts, "; "));
}

/// A column with a metric, for results that are ok and for which `holds` is true.
ResultColumn metric(std::string_view metric_name, bool essential = false,
                    bool (*holds)(const CaseResult&) = nullptr) {
  const CaseMetric& metric = find_metric(metric_name);
  return {{.name = std::string(metric.heading), .kind = metric.cell, .essential = essential},
          [&metric, holds](const Problem&, const Entry& e) {
            if (e.result->status != Status::ok || (holds != nullptr && !holds(*e.result))) return TableCell{};
            return TableCell(value_of(metric, e));
          }};
}

TableCell ceiling_share(const Problem&, const Entry& e) {
  if (!e.roofline) return {};
  return {std::optional(e.roofline->share), e.roofline->arithmetic ? "arithmetic" : "memory"};
}

TableCell losses(const Problem& problem, const Entry& e) {
  const auto& training = e.result->training;
  if (!training || training->loss.empty()) return {};
  // The last entry whose steps all backends have taken: entries of two curves may be of unlike numbers of
  // them.
  const double each = steps_per_loss(*training);
  const double shown =
      std::clamp(std::floor(common_steps(problem) / each), 1.0, static_cast<double>(training->loss.size()));
  return text_cell(fmt::format("{} → {} in {} steps", loss_text(training->loss.front()),
                               loss_text(training->loss[static_cast<std::size_t>(shown) - 1]),
                               count_text(shown * each)));
}

TableCell time_to_target(const Problem&, const Entry& e) {
  if (!e.result->training) return {};
  if (e.result->training->seconds_to_accuracy) return e.result->training->seconds_to_accuracy;
  const Value* target = e.result->parameters.find("target_accuracy");
  const bool is_asked = target != nullptr && *target != Value(0.0) && *target != Value(std::int64_t{0});
  return is_asked ? "not reached" : TableCell();
}

/// True if memory limits the speed: every machine of the last decade does at least ten operations in the time
/// of moving one byte. Latencies say more, and rows have no room for both.
bool memory_decides(const CaseResult& c) {
  constexpr double operations_per_byte = 10;
  return !c.latency && c.bytes > 0 && c.flop < operations_per_byte * c.bytes;
}

bool counts_operations(const CaseResult& c) {
  return c.flop > 0 && c.samples == 0;  // for networks, images per second are more familiar
}

ResultColumn text_column(TableColumn column, std::string (*text)(const Entry&)) {
  return {std::move(column), [text](const Problem&, const Entry& e) { return text_cell(text(e)); }};
}

/// The columns of result tables. The machine is the first.
const std::vector<ResultColumn>& columns() {
  static const std::vector<ResultColumn> all{
      text_column({.name = "machine", .can_choose = true}, [](const Entry& e) { return e.run->host.name; }),
      text_column({.name = "backend", .essential = true, .can_choose = true},
                  [](const Entry& e) { return computing_title(*e.result); }),
      text_column({.name = "device", .can_choose = true},
                  [](const Entry& e) { return e.result->device == "cpu" ? "" : e.result->device; }),
      metric("seconds", true),
      metric("spread", true),
      metric("fit_largest", true),
      text_column({.name = "limited by"},
                  [](const Entry& e) { return e.result->fit ? e.result->fit->limit : ""; }),
      metric("gflops", false, counts_operations),
      metric("samples_per_second", true),
      metric("gbps", false, memory_decides),
      metric("data_gbps"),
      metric("communication_seconds"),
      {{.name = "of ceiling", .kind = CellKind::percent}, ceiling_share},
      metric("device_seconds"),
      metric("joules"),
      metric("latency_p50", true),
      metric("latency_p99", true),
      {{.name = "loss"}, losses},
      metric("accuracy"),
      {{.name = "to target", .kind = CellKind::seconds}, time_to_target},
      metric("epoch_seconds"),
      {essential("compared"), [](const Problem&, const Entry& e) { return comparison(e); }},
      text_column({.name = "notes", .page_only = true}, [](const Entry& e) { return notes_of(*e.result); }),
  };
  return all;
}

/// The columns that have a value in any row. Renderers leave out the others, which are most of a table's
/// memory.
std::vector<const ResultColumn*> used_columns(std::span<const ResultColumn> all, const ProblemGroup& group) {
  constexpr std::size_t fewest = 4;  // narrower tables are laid out otherwise
  std::vector<const ResultColumn*> used, every;
  for (const ResultColumn& column : all) {
    every.push_back(&column);
    const bool is_used = std::ranges::any_of(group.problems, [&](const Problem& problem) {
      return std::ranges::any_of(problem.entries, [&](const Entry& entry) {
        return column.cell(problem, entry).value.index() != 0;
      });
    });
    if (is_used) used.push_back(&column);
  }
  return used.size() < fewest ? every : used;
}

}  // namespace

/// True if nothing is known of the case yet.
bool is_open(const Entry& entry) {
  return entry.result->status == Status::interrupted && !entry.result->seconds;
}

/// One row for all cases of an operation that are not measured yet.
TableRow open_row(std::span<const ResultColumn* const> columns, const ProblemGroup& group,
                  std::size_t problems, std::size_t results) {
  TableRow row{.group =
                   fmt::format("{} of {} problems", count_text(problems), count_text(group.problems.size()))};
  row.cells.reserve(columns.size());
  for (const ResultColumn* column : columns) {
    const std::string& name = column->column.name;
    row.cells.push_back(name == "backend"    ? TableCell(counted_text(results, "result", "results"))
                        : name == "compared" ? TableCell("not measured yet", Tone::warning)
                                             : TableCell());
  }
  return row;
}

std::vector<Table> result_tables(const std::vector<ProblemGroup>& groups, bool several_machines) {
  const auto all = std::span(columns()).subspan(several_machines ? 0 : 1);
  std::vector<Table> tables;
  for (const ProblemGroup& group : groups) {
    const bool is_known = find_workload(group.op) != nullptr;
    Table table{.title = is_known ? capitalised(plural_of(group.op)) : group.op, .group_name = "problem"};
    const std::vector<const ResultColumn*> used = used_columns(all, group);
    for (const ResultColumn* column : used) {
      table.columns.push_back(column->column);
      if (!group.by_latency) continue;
      TableColumn& shown = table.columns.back();
      if (shown.name == "compared") shown.name = "compared by latency";
    }
    std::unordered_map<std::string, std::size_t> order;
    std::size_t open_problems = 0, open_results = 0;
    for (const Problem& problem : group.problems) {
      order.try_emplace(problem.title, order.size());
      const auto open = static_cast<std::size_t>(std::ranges::count_if(problem.entries, is_open));
      open_results += open;
      open_problems += open > 0 ? 1 : 0;
      for (const Entry& entry : problem.entries) {
        if (is_open(entry)) continue;
        TableRow& row = table.rows.emplace_back(TableRow{.group = problem.title});
        row.cells.reserve(used.size());
        for (const ResultColumn* column : used) row.cells.push_back(column->cell(problem, entry));
      }
    }
    // Keeps rows of one problem together, whichever machine they are from.
    const auto place = [&](const TableRow& row) { return order.at(row.group); };
    if (!std::ranges::is_sorted(table.rows, {}, place)) std::ranges::stable_sort(table.rows, {}, place);
    if (open_results > 0) table.rows.push_back(open_row(used, group, open_problems, open_results));
    tables.push_back(std::move(table));
  }
  return tables;
}

}  // namespace breakeven
