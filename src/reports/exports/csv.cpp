// --csv: one row for each case and backend, RFC 4180 (CRLF, quotes where needed), in UTF-8, under a header
// row; for spreadsheets and data frames.
//
// The columns are described in docs/result-file.md; the parameters come last, as `parameter.NAME` for each
// name that occurs. Numbers have all their digits. Unknown is empty. Text is one line, without control
// characters; text that a spreadsheet would take for a formula begins with an apostrophe.
#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <initializer_list>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "reports/exports/format.h"
#include "reports/metrics.h"
#include "reports/text.h"

namespace breakeven {
namespace {

/// One line without control characters; and since spreadsheets run what begins like a formula (OWASP, CSV
/// Injection), an apostrophe before that.
std::string text_cell(std::string_view text) {
  const std::string shown = printable(text);
  std::string cell;
  if (!shown.empty() && std::string_view("=+-@").find(shown.front()) != std::string_view::npos) cell += '\'';
  cell += shown;
  if (cell.find_first_of(",\"") == std::string::npos) return cell;
  std::string quoted = "\"";
  for (const char c : cell) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  quoted += '"';
  return quoted;
}

std::string number_cell(std::optional<double> value) {
  return value && std::isfinite(*value) ? fmt::format("{}", *value) : "";
}

std::string parameter_cell(const Value& value) {
  if (const auto* d = std::get_if<double>(&value)) return number_cell(*d);
  if (const auto* s = std::get_if<std::string>(&value)) return text_cell(*s);
  return to_string(value);
}

/// What a row is made of.
struct CsvRow {
  const MeasuredCase& measured;
  const Result& run;
  const CaseResult& result;
  const BackendRecord* backend = nullptr;  // as the file lists it, if it does
};

struct CsvColumn {
  std::string_view name;
  std::function<std::string(const CsvRow&)> cell;
};

CsvColumn text_column(std::string_view name, std::string (*text)(const CsvRow&)) {
  return {.name = name, .cell = [text](const CsvRow& row) { return text_cell(text(row)); }};
}

std::string in_one_cell(const std::vector<std::string>& texts) {
  return fmt::format("{}", fmt::join(texts, "; "));
}

std::vector<CsvColumn> csv_columns() {
  std::vector<CsvColumn> all;
  const auto texts = [&](std::initializer_list<CsvColumn> columns) {
    all.insert(all.end(), columns.begin(), columns.end());
  };
  const auto numbers = [&](std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) {
      const Metric& metric = find_metric(name);
      all.push_back({.name = name, .cell = [&metric](const CsvRow& row) {
                       return number_cell(metric.value(row.measured));
                     }});
    }
  };
  texts({
      text_column("created", [](const CsvRow& r) { return r.run.created; }),
      text_column("machine", [](const CsvRow& r) { return r.run.host.name; }),
      text_column("cpu", [](const CsvRow& r) { return r.run.host.cpu; }),
      text_column("cpu_identity", [](const CsvRow& r) { return r.run.host.cpu_identity; }),
      text_column("threads",
                  [](const CsvRow& r) {
                    return r.run.host.threads > 0 ? fmt::format("{}", r.run.host.threads) : "";
                  }),
      text_column("tool_version", [](const CsvRow& r) { return r.run.tool_version; }),
      text_column("id", [](const CsvRow& r) { return r.result.id; }),
      text_column("label", [](const CsvRow& r) { return r.result.label; }),
      text_column("op", [](const CsvRow& r) { return r.result.op; }),
      text_column("dtype", [](const CsvRow& r) { return r.result.dtype; }),
      text_column("backend", [](const CsvRow& r) { return r.result.backend; }),
      text_column("backend_version",
                  [](const CsvRow& r) { return r.backend != nullptr ? r.backend->version : ""; }),
      text_column("device", [](const CsvRow& r) { return r.result.device; }),
      text_column("device_name",
                  [](const CsvRow& r) { return r.backend != nullptr ? r.backend->device_name : ""; }),
      text_column("status", [](const CsvRow& r) { return std::string(name(r.result.status)); }),
      text_column("reason", [](const CsvRow& r) { return r.result.reason; }),
  });
  numbers({"seconds", "seconds_ci_low", "seconds_ci_high", "timing_samples", "launches", "iterations",
           "cpu_seconds", "device_seconds", "joules", "flop", "bytes", "gflops", "gbps", "roofline_share"});
  texts({text_column("roofline_limit", [](const CsvRow& r) -> std::string {
    if (!r.measured.roofline) return "";
    return r.measured.roofline->arithmetic ? "arithmetic" : "memory";
  })});
  numbers({"samples_per_iteration", "samples_per_second", "verify_error", "verify_tolerance"});
  texts({text_column("algorithm", [](const CsvRow& r) { return r.result.algorithm; })});
  numbers({"latency_p50", "latency_p99", "latency_count", "fit_largest", "fit_refused"});
  texts({text_column("fit_limit",
                     [](const CsvRow& r) { return r.result.fit ? r.result.fit->limit : std::string(); })});
  numbers({"training_steps", "loss_first", "loss_last", "accuracy", "epochs", "epoch_seconds",
           "seconds_to_accuracy"});
  texts({text_column(
      "cpus", [](const CsvRow& r) { return fmt::format("{}", fmt::join(r.result.conditions.cpus, " ")); })});
  numbers({"cpu_mhz", "steal_percent", "other_cpu_percent", "throttled_seconds", "thermal_throttles",
           "temperature_celsius", "gpu_sm_mhz", "gpu_sm_mhz_least", "gpu_memory_mhz", "gpu_memory_mhz_least",
           "gpu_watts", "gpu_celsius"});
  texts({text_column("gpu_clock_reasons", [](const CsvRow& r) {
    const auto& gpu = r.result.conditions.device;
    return gpu ? in_one_cell(gpu->clock_reasons) : std::string();
  })});
  numbers({"gpu_throttled_samples", "gpu_pcie_generation", "gpu_pcie_width", "gpu_other_processes",
           "gpu_ecc_errors"});
  texts({text_column("warnings", [](const CsvRow& r) { return in_one_cell(r.result.warnings); })});
  return all;
}

/// In order of appearance; `dtype` has a column of its own.
std::vector<std::string> parameter_names(std::span<const Result> results) {
  std::vector<std::string> names;
  std::unordered_set<std::string_view> seen{"dtype"};
  for (const Result& run : results) {
    for (const CaseResult& result : run.cases) {
      for (const auto& [name, value] : result.parameters.entries()) {
        if (seen.insert(name).second) names.push_back(name);
      }
    }
  }
  return names;
}

FormattedReport results_csv(std::span<const Result> results) {
  const std::vector<CsvColumn> columns = csv_columns();
  const std::vector<std::string> parameters = parameter_names(results);
  const CeilingsByDevice known = ceilings(results);
  std::vector<std::string> cells;
  FormattedReport report;
  const auto end_row = [&] {
    report.text += fmt::format("{}\r\n", fmt::join(cells, ","));
    cells.clear();
  };
  for (const CsvColumn& column : columns) cells.emplace_back(column.name);
  for (const std::string& name : parameters) cells.push_back(text_cell("parameter." + name));
  end_row();
  for (const Result& run : results) {
    std::unordered_map<std::string_view, const BackendRecord*> backends;
    for (const BackendRecord& backend : run.backends) backends.emplace(backend.name, &backend);
    for (const CaseResult& result : run.cases) {
      const auto backend = backends.find(result.backend);
      const MeasuredCase measured{.run = &run, .result = &result, .roofline = roofline(result, run, known)};
      const CsvRow row{.measured = measured,
                       .run = run,
                       .result = result,
                       .backend = backend == backends.end() ? nullptr : backend->second};
      for (const CsvColumn& column : columns) cells.push_back(column.cell(row));
      for (const std::string& name : parameters) {
        const Value* value = result.parameters.find(name);
        cells.push_back(value == nullptr ? "" : parameter_cell(*value));
      }
      end_row();
    }
  }
  return report;
}

const FormatRegistration csv_format({.option = "--csv",
                                     .meaning = "a CSV table, one row for each case and backend",
                                     .measured = results_alone<results_csv>});

}  // namespace
}  // namespace breakeven
