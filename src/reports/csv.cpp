#include "reports/csv.h"

#include <fmt/format.h>

#include <cmath>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "reports/text.h"
#include "statistics/summary.h"
#include "verdicts/roofline.h"

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

template <std::integral T>
std::string count_cell(T value) {
  return fmt::format("{}", value);
}

/// For what is 0 only where it is not known.
template <std::integral T>
std::string known_cell(T value) {
  return value > 0 ? count_cell(value) : "";
}

std::string parameter_cell(const Value& value) {
  if (const auto* d = std::get_if<double>(&value)) return number_cell(*d);
  if (const auto* s = std::get_if<std::string>(&value)) return text_cell(*s);
  return to_string(value);
}

/// What a row is made of.
struct Row {
  const Result& run;
  const CaseResult& result;
  const BackendRecord* backend = nullptr;  // as the file lists it, if it does
  std::optional<Roofline> roofline = {};   // where the device's ceilings are among the results
};

struct CsvColumn {
  std::string_view name;
  std::string (*cell)(const Row&);
};

std::optional<double> timing(const Row& row, std::optional<double> (*get)(const Timing&)) {
  return row.result.seconds ? get(*row.result.seconds) : std::nullopt;
}

std::optional<double> samples_per_second(const CaseResult& r) {
  if (r.status != Status::ok || !r.seconds || r.samples <= 0) return std::nullopt;
  return static_cast<double>(r.samples) / r.seconds->median;
}

std::string text_list(const std::vector<std::string>& texts) {
  return text_cell(fmt::format("{}", fmt::join(texts, "; ")));
}

template <typename T>
std::optional<T> of_device(const Row& row, std::optional<T> DeviceConditions::*field) {
  const auto& device = row.result.conditions.device;
  return device ? (*device).*field : std::nullopt;
}

std::string whole_cell(std::optional<std::int64_t> value) {
  return value ? count_cell(*value) : "";
}

const std::vector<CsvColumn>& columns() {
  static const std::vector<CsvColumn> all{
      {"created", [](const Row& r) { return text_cell(r.run.created); }},
      {"machine", [](const Row& r) { return text_cell(r.run.host.name); }},
      {"cpu", [](const Row& r) { return text_cell(r.run.host.cpu); }},
      {"cpu_identity", [](const Row& r) { return text_cell(r.run.host.cpu_identity); }},
      {"threads", [](const Row& r) { return known_cell(r.run.host.threads); }},
      {"tool_version", [](const Row& r) { return text_cell(r.run.tool_version); }},
      {"id", [](const Row& r) { return text_cell(r.result.id); }},
      {"label", [](const Row& r) { return text_cell(r.result.label); }},
      {"op", [](const Row& r) { return text_cell(r.result.op); }},
      {"dtype", [](const Row& r) { return text_cell(r.result.dtype); }},
      {"backend", [](const Row& r) { return text_cell(r.result.backend); }},
      {"backend_version", [](const Row& r) { return r.backend ? text_cell(r.backend->version) : ""; }},
      {"device", [](const Row& r) { return text_cell(r.result.device); }},
      {"device_name", [](const Row& r) { return r.backend ? text_cell(r.backend->device_name) : ""; }},
      {"status", [](const Row& r) { return text_cell(name(r.result.status)); }},
      {"reason", [](const Row& r) { return text_cell(r.result.reason); }},
      {"seconds",
       [](const Row& r) {
         return number_cell(timing(r, [](const Timing& t) { return std::optional(t.median); }));
       }},
      {"seconds_ci_low",
       [](const Row& r) { return number_cell(timing(r, [](const Timing& t) { return t.ci_low; })); }},
      {"seconds_ci_high",
       [](const Row& r) { return number_cell(timing(r, [](const Timing& t) { return t.ci_high; })); }},
      {"timing_samples",
       [](const Row& r) { return r.result.seconds ? count_cell(r.result.seconds->samples.size()) : ""; }},
      {"launches",
       [](const Row& r) { return r.result.seconds ? known_cell(r.result.seconds->launches.size()) : ""; }},
      {"iterations",
       [](const Row& r) { return r.result.seconds ? known_cell(r.result.seconds->iterations) : ""; }},
      {"cpu_seconds", [](const Row& r) { return number_cell(r.result.cpu_seconds); }},
      {"device_seconds", [](const Row& r) { return number_cell(r.result.device_seconds); }},
      {"joules", [](const Row& r) { return number_cell(r.result.joules); }},
      {"flop", [](const Row& r) { return number_cell(r.result.flop); }},
      {"bytes", [](const Row& r) { return number_cell(r.result.bytes); }},
      {"gflops", [](const Row& r) { return number_cell(r.result.gflops()); }},
      {"gbps", [](const Row& r) { return number_cell(r.result.gbps()); }},
      {"roofline_share", [](const Row& r) { return r.roofline ? number_cell(r.roofline->share) : ""; }},
      {"roofline_limit",
       [](const Row& r) -> std::string {
         if (!r.roofline) return "";
         return r.roofline->arithmetic ? "arithmetic" : "memory";
       }},
      {"samples_per_iteration", [](const Row& r) { return known_cell(r.result.samples); }},
      {"samples_per_second", [](const Row& r) { return number_cell(samples_per_second(r.result)); }},
      {"verify_error",
       [](const Row& r) { return r.result.verification ? number_cell(r.result.verification->error) : ""; }},
      {"verify_tolerance",
       [](const Row& r) {
         return r.result.verification ? number_cell(r.result.verification->tolerance) : "";
       }},
      {"algorithm", [](const Row& r) { return text_cell(r.result.algorithm); }},
      {"latency_p50",
       [](const Row& r) { return r.result.latency ? number_cell(r.result.latency->p50) : ""; }},
      {"latency_p99",
       [](const Row& r) { return r.result.latency ? number_cell(r.result.latency->p99) : ""; }},
      {"latency_count",
       [](const Row& r) { return r.result.latency ? count_cell(r.result.latency->count) : ""; }},
      {"fit_largest", [](const Row& r) { return r.result.fit ? count_cell(r.result.fit->largest) : ""; }},
      {"fit_refused", [](const Row& r) { return r.result.fit ? known_cell(r.result.fit->refused) : ""; }},
      {"fit_limit", [](const Row& r) { return r.result.fit ? text_cell(r.result.fit->limit) : ""; }},
      {"training_steps",
       [](const Row& r) { return r.result.training ? count_cell(r.result.training->steps) : ""; }},
      {"loss_first",
       [](const Row& r) {
         const auto& t = r.result.training;
         return t && !t->loss.empty() ? number_cell(t->loss.front()) : "";
       }},
      {"loss_last",
       [](const Row& r) {
         const auto& t = r.result.training;
         return t && !t->loss.empty() ? number_cell(t->loss.back()) : "";
       }},
      {"accuracy",
       [](const Row& r) { return r.result.training ? number_cell(r.result.training->accuracy) : ""; }},
      {"epochs",
       [](const Row& r) {
         return r.result.training ? count_cell(r.result.training->epoch_seconds.size()) : "";
       }},
      {"epoch_seconds",
       [](const Row& r) {
         const auto& t = r.result.training;
         return t && !t->epoch_seconds.empty() ? number_cell(median(t->epoch_seconds)) : "";
       }},
      {"seconds_to_accuracy",
       [](const Row& r) {
         return r.result.training ? number_cell(r.result.training->seconds_to_accuracy) : "";
       }},
      {"cpus", [](const Row& r) { return fmt::format("{}", fmt::join(r.result.conditions.cpus, " ")); }},
      {"cpu_mhz", [](const Row& r) { return number_cell(r.result.conditions.cpu_mhz); }},
      {"steal_percent", [](const Row& r) { return number_cell(r.result.conditions.steal_percent); }},
      {"other_cpu_percent", [](const Row& r) { return number_cell(r.result.conditions.other_cpu_percent); }},
      {"throttled_seconds", [](const Row& r) { return number_cell(r.result.conditions.throttled_seconds); }},
      {"thermal_throttles", [](const Row& r) { return number_cell(r.result.conditions.thermal_throttles); }},
      {"temperature_celsius",
       [](const Row& r) { return number_cell(r.result.conditions.temperature_celsius); }},
      {"gpu_sm_mhz", [](const Row& r) { return number_cell(of_device(r, &DeviceConditions::sm_mhz)); }},
      {"gpu_sm_mhz_least",
       [](const Row& r) { return number_cell(of_device(r, &DeviceConditions::sm_mhz_least)); }},
      {"gpu_memory_mhz",
       [](const Row& r) { return number_cell(of_device(r, &DeviceConditions::memory_mhz)); }},
      {"gpu_memory_mhz_least",
       [](const Row& r) { return number_cell(of_device(r, &DeviceConditions::memory_mhz_least)); }},
      {"gpu_watts", [](const Row& r) { return number_cell(of_device(r, &DeviceConditions::watts)); }},
      {"gpu_celsius", [](const Row& r) { return number_cell(of_device(r, &DeviceConditions::celsius)); }},
      {"gpu_clock_reasons",
       [](const Row& r) {
         const auto& device = r.result.conditions.device;
         return device ? text_list(device->clock_reasons) : "";
       }},
      {"gpu_throttled_samples",
       [](const Row& r) {
         return r.result.conditions.device && r.result.seconds
                    ? count_cell(r.result.seconds->throttled.size())
                    : "";
       }},
      {"gpu_pcie_generation",
       [](const Row& r) { return whole_cell(of_device(r, &DeviceConditions::pcie_generation)); }},
      {"gpu_pcie_width",
       [](const Row& r) { return whole_cell(of_device(r, &DeviceConditions::pcie_width)); }},
      {"gpu_other_processes",
       [](const Row& r) { return whole_cell(of_device(r, &DeviceConditions::other_processes)); }},
      {"gpu_ecc_errors",
       [](const Row& r) { return whole_cell(of_device(r, &DeviceConditions::ecc_errors)); }},
      {"warnings", [](const Row& r) { return text_list(r.result.warnings); }},
  };
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

}  // namespace

FormattedReport csv_report(std::span<const Result> results) {
  const std::vector<std::string> parameters = parameter_names(results);
  const CeilingsByDevice known = ceilings(results);
  std::vector<std::string> cells;
  std::string text;
  const auto end_row = [&] {
    text += fmt::format("{}\r\n", fmt::join(cells, ","));
    cells.clear();
  };
  for (const CsvColumn& column : columns()) cells.emplace_back(column.name);
  for (const std::string& name : parameters) cells.push_back(text_cell("parameter." + name));
  end_row();
  for (const Result& run : results) {
    std::unordered_map<std::string_view, const BackendRecord*> backends;
    for (const BackendRecord& backend : run.backends) backends.emplace(backend.name, &backend);
    for (const CaseResult& result : run.cases) {
      const auto backend = backends.find(result.backend);
      const Row row{.run = run,
                    .result = result,
                    .backend = backend == backends.end() ? nullptr : backend->second,
                    .roofline = roofline(result, run, known)};
      for (const CsvColumn& column : columns()) cells.push_back(column.cell(row));
      for (const std::string& name : parameters) {
        const Value* value = result.parameters.find(name);
        cells.push_back(value == nullptr ? "" : parameter_cell(*value));
      }
      end_row();
    }
  }
  return {.text = std::move(text)};
}

namespace {

const FormatRegistration csv_format({.option = "--csv",
                                     .meaning = "a CSV table, one row for each case and backend,",
                                     .measured = results_alone<csv_report>});

}  // namespace
}  // namespace breakeven
