// --csv: one row for each case and backend, RFC 4180 (CRLF, quotes if needed), in UTF-8, after a header row;
// for programs. --csv-point and --csv-comma: the same for spreadsheets, which read numbers and separators as
// the user's country writes them, and UTF-8 only after a byte order mark.
//
// docs/reports.md describes the columns. The parameters come last, as `parameter.NAME` for each name that
// occurs. Numbers have all their digits. Unknown values are empty. Text is one line without control
// characters; text that a spreadsheet would interpret as a formula begins with an apostrophe.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <boost/algorithm/string/replace.hpp>
#include <cmath>
#include <initializer_list>
#include <string_view>
#include <unordered_set>
#include <variant>
#include <vector>

#include "reports/document/runs.h"
#include "reports/exports/named_cases.h"
#include "reports/metrics.h"
#include "reports/text.h"
#include "reports/words/notes.h"
#include "results/algorithm.h"

namespace breakeven {
namespace {

struct CsvDialect {
  char separator = ',', decimal = '.';
  std::string_view mark;  // at the beginning of the file
};

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
constexpr CsvDialect for_programs;
constexpr CsvDialect decimal_point{.separator = ',', .decimal = '.', .mark = byte_order_mark};
constexpr CsvDialect decimal_comma{.separator = ';', .decimal = ',', .mark = byte_order_mark};

/// Makes text one line without control characters. Text that begins like a formula, be it in the full-width
/// characters of East Asia, gets an apostrophe before it, because spreadsheets run formulas (OWASP, CSV
/// Injection).
std::string text_cell(std::string_view text, const CsvDialect& dialect) {
  const std::string shown = printable(text);
  constexpr std::array<std::string_view, 8> begin_formulas{"=",      "+",      "-",      "@",
                                                           "\uFF1D", "\uFF0B", "\uFF0D", "\uFF20"};
  const bool is_formula =
      std::ranges::any_of(begin_formulas, [&](std::string_view sign) { return shown.starts_with(sign); });
  std::string cell = (is_formula ? "'" : "") + shown;
  if (cell.find(dialect.separator) == std::string::npos && cell.find('"') == std::string::npos) return cell;
  boost::algorithm::replace_all(cell, "\"", "\"\"");
  return '"' + cell + '"';
}

std::string number_cell(std::optional<double> value, const CsvDialect& dialect) {
  std::string cell = value && std::isfinite(*value) ? fmt::format("{}", *value) : "";
  std::ranges::replace(cell, '.', dialect.decimal);
  return cell;
}

std::string parameter_cell(const Value& value, const CsvDialect& dialect) {
  if (const auto* d = std::get_if<double>(&value)) return number_cell(*d, dialect);
  if (const auto* s = std::get_if<std::string>(&value)) return text_cell(*s, dialect);
  return to_string(value);
}

/// The data that a row is made from.
struct CsvRow {
  const MeasuredCase& measured;
  const Result& run;
  const CaseResult& result;
  const BackendRecord& backend;  // empty if the file does not list it
};

/// A column of texts or of numbers.
struct CsvColumn {
  std::string_view name;
  std::string (*text)(const CsvRow&) = nullptr;
  std::optional<double> (*number)(const MeasuredCase&) = nullptr;

  std::string cell(const CsvRow& row, const CsvDialect& dialect) const {
    return text != nullptr ? text_cell(text(row), dialect) : number_cell(number(row.measured), dialect);
  }
};

std::string in_one_cell(const std::vector<std::string>& texts) {
  return fmt::format("{}", fmt::join(texts, "; "));
}

std::string roofline_limit(const CsvRow& r) {
  if (!r.measured.roofline) return "";
  return r.measured.roofline->arithmetic ? "arithmetic" : "memory";
}

std::string clock_reasons(const CsvRow& r) {
  const auto& gpu = r.result.conditions.device;
  return gpu ? in_one_cell(gpu->clock_reasons) : "";
}

std::vector<CsvColumn> csv_columns() {
  std::vector<CsvColumn> all;
  const auto texts = [&](std::initializer_list<CsvColumn> columns) { all.insert(all.end(), columns); };
  const auto numbers = [&](std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names)
      all.push_back({.name = name, .number = find_metric(name).value});
  };
  texts(
      {{"created", [](const CsvRow& r) { return r.run.created; }},
       {"machine", [](const CsvRow& r) { return r.run.host.name; }},
       {"cpu", [](const CsvRow& r) { return r.run.host.cpu; }},
       {"cpu_identity", [](const CsvRow& r) { return r.run.host.cpu_identity; }},
       {"threads",
        [](const CsvRow& r) { return r.run.host.threads > 0 ? fmt::format("{}", r.run.host.threads) : ""; }},
       {"tool_version", [](const CsvRow& r) { return r.run.tool_version; }},
       {"id", [](const CsvRow& r) { return r.result.id; }},
       {"label", [](const CsvRow& r) { return r.result.label; }},
       {"op", [](const CsvRow& r) { return r.result.op; }},
       {"dtype", [](const CsvRow& r) { return r.result.dtype; }},
       {"backend", [](const CsvRow& r) { return r.result.backend; }},
       {"backend_version", [](const CsvRow& r) { return r.backend.version; }},
       {"device", [](const CsvRow& r) { return r.result.device; }},
       {"device_name", [](const CsvRow& r) { return r.backend.device_name; }},
       {"status", [](const CsvRow& r) { return std::string(name(r.result.status)); }},
       {"reason", [](const CsvRow& r) { return r.result.reason; }}});
  numbers({"seconds", "seconds_ci_low", "seconds_ci_high", "timing_samples", "launches", "iterations",
           "cpu_seconds", "device_seconds", "communication_seconds", "joules", "flop", "bytes", "gflops",
           "gbps", "roofline_share"});
  texts({{"roofline_limit", roofline_limit}});
  numbers({"samples_per_iteration", "samples_per_second", "verify_error", "verify_tolerance"});
  texts({{"algorithm", [](const CsvRow& r) { return algorithm_with_threads(r.result); }}});
  numbers({"latency_p50", "latency_p99", "latency_count", "fit_largest", "fit_refused"});
  texts({{"fit_limit", [](const CsvRow& r) { return r.result.fit ? r.result.fit->limit : ""; }}});
  numbers({"training_steps", "loss_first", "loss_last", "accuracy", "epochs", "epoch_seconds",
           "seconds_to_accuracy"});
  texts({{"cpus",
          [](const CsvRow& r) { return fmt::format("{}", fmt::join(r.result.conditions.cpus, " ")); }}});
  numbers({"cpu_mhz", "steal_percent", "other_cpu_percent", "throttled_seconds", "thermal_throttles",
           "temperature_celsius", "gpu_sm_mhz", "gpu_sm_mhz_least", "gpu_memory_mhz", "gpu_memory_mhz_least",
           "gpu_watts", "gpu_celsius"});
  texts({{"gpu_clock_reasons", clock_reasons}});
  numbers({"gpu_throttled_samples", "gpu_pcie_generation", "gpu_pcie_width", "gpu_other_processes",
           "gpu_ecc_errors"});
  texts({{"warnings", [](const CsvRow& r) { return in_one_cell(note_texts(r.result.warnings)); }}});
  return all;
}

/// The names of the parameters in order of appearance, without `dtype`, which has its own column.
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

template <const CsvDialect& dialect>
FormattedReport results_csv(std::span<const Result> results) {
  const std::vector<CsvColumn> columns = csv_columns();
  const std::vector<std::string> parameters = parameter_names(results);
  const Runs runs = runs_of(results);
  const std::vector<Ceilings> known = ceilings(runs);
  std::vector<std::string> cells;
  FormattedReport report{.text = std::string(dialect.mark)};
  const auto end_row = [&] {
    report.text += fmt::format("{}\r\n", fmt::join(cells, std::string_view(&dialect.separator, 1)));
    cells.clear();
  };
  for (const CsvColumn& column : columns) cells.emplace_back(column.name);
  for (const std::string& name : parameters) cells.push_back(text_cell("parameter." + name, dialect));
  end_row();
  const BackendRecord unnamed;
  for (MeasuredCase& measured : cases_of(runs)) {
    const CaseResult& result = *measured.result;
    measured.roofline = roofline(result, known[measured.device]);
    const BackendRecord* backend = find_backend(measured.run->backends, result.backend);
    const CsvRow row{.measured = measured,
                     .run = *measured.run,
                     .result = result,
                     .backend = backend == nullptr ? unnamed : *backend};
    for (const CsvColumn& column : columns) cells.push_back(column.cell(row, dialect));
    for (const std::string& name : parameters) {
      const Value* value = result.parameters.find(name);
      cells.push_back(value == nullptr ? "" : parameter_cell(*value, dialect));
    }
    end_row();
  }
  return report;
}

const FormatRegistration csv_format({.option = "--csv",
                                     .meaning = "a CSV table, one row for each case and backend",
                                     .control_characters = "\r\n",
                                     .writes = {from_results_alone<results_csv<for_programs>>}});
const FormatRegistration csv_point_format(
    {.option = "--csv-point",
     .meaning = "the CSV table for spreadsheets of countries that write a half as 0.5",
     .control_characters = "\r\n",
     .writes = {from_results_alone<results_csv<decimal_point>>}});
const FormatRegistration csv_comma_format(
    {.option = "--csv-comma",
     .meaning = "the CSV table for spreadsheets of countries that write a half as 0,5",
     .control_characters = "\r\n",
     .writes = {from_results_alone<results_csv<decimal_comma>>}});

}  // namespace
}  // namespace breakeven
