// Writes and reads results as JSON.
#include "results/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <initializer_list>

#include "host/own_speed.h"
#include "json/text.h"
#include "protocol/foreign_text.h"
#include "protocol/messages.h"
#include "protocol/possible_seconds.h"
#include "results/counted_samples.h"
#include "results/file_kind.h"
#include "results/reading.h"
#include "results/validation.h"
#include "workloads/workload.h"

namespace breakeven {
namespace {

constexpr const char* result_schema = "breakeven.result/1";

/// Cuts names that no machine or program has, as reasons are: a report compares and wraps names often.
void cut_names(const Fields& f, std::initializer_list<std::string*> names) {
  constexpr std::size_t longest = 2000;
  if (!f.reads()) return;
  for (std::string* name : names) {
    if (name->size() > longest) *name = shorten_text(*name, longest);
  }
}

/// "('ID' of 'BACKEND') FAULT".
std::string case_fault(const CaseOnBackend& c, const std::string& fault) {
  constexpr std::size_t longest_name = 100;
  return fmt::format("('{}' of '{}') {}", shorten_text(c.id, longest_name),
                     shorten_text(c.backend, longest_name), fault);
}

/// Fails for a count of 0. Where one is unknown, it is not in the file; earlier verdicts have 0.
void expect_counts(const JsonReader& host) {
  for (const char* count : {"cpus", "cores", "threads", "memory_bytes"}) {
    if (host.get_if<std::int64_t>(count) == 0) host.fail_at(count, "is 0, and must be at least 1");
  }
}

/// The fault of a case as it was read, with the rates that are not kept, because they follow from others.
std::string fault_of_read(const JsonReader& in, const CaseResult& c) {
  std::string fault = fault_of(c);
  for (const auto& [key, computed] : {std::pair("gflops", c.gflops()), std::pair("gbps", c.gbps())}) {
    const auto given = in.get_if<double>(key);
    if (fault.empty() && given) fault = fault_of_rate(key, *given, computed);
  }
  return fault;
}

}  // namespace

// ---- the machine

void fields(Fields& f, Gpu& gpu) {
  f.required("id", gpu.id);
  f.optional("name", gpu.name);
  f.optional("driver", gpu.driver);
  f.optional("memory_bytes", gpu.memory_bytes);
  f.optional("ecc", gpu.ecc);
  f.optional("mig", gpu.mig);
  f.optional("persistence", gpu.persistence);
  f.optional("compute_mode", gpu.compute_mode);
  f.optional("pcie_generation", gpu.pcie_generation);
  f.optional("pcie_width", gpu.pcie_width);
  f.optional("pcie_generation_most", gpu.pcie_generation_most);
  f.optional("pcie_width_most", gpu.pcie_width_most);
  f.optional("power_limit_watts", gpu.power_limit_watts);
  f.optional("power_limit_default_watts", gpu.power_limit_default_watts);
  f.optional("sm_mhz_most", gpu.sm_mhz_most);
  f.optional("memory_mhz_most", gpu.memory_mhz_most);
  f.optional("unreadable", gpu.unreadable);
  cut_names(f, {&gpu.id});
  if (gpu.name) cut_names(f, {&*gpu.name});
}

void fields(Fields& f, Host& host) {
  f.optional("name", host.name);
  f.if_set("machine", host.machine);
  f.optional("os", host.os);
  f.optional("kernel", host.kernel);
  f.optional("cpu", host.cpu);
  f.optional("virtualization", host.virtualization);
  f.if_set("cpus", host.cpus);
  f.if_set("cores", host.cores);
  f.if_set("threads", host.threads);
  f.optional("cpu_quota", host.cpu_quota);
  f.if_set("memory_bytes", host.memory_bytes);
  f.optional("cpu_features", host.cpu_features);
  f.optional("settings", host.settings);
  f.if_set("cpu_identity", host.cpu_identity);
  f.if_set("environment", host.environment);
  f.optional("gpus", host.gpus);
  cut_names(f, {&host.name, &host.machine, &host.os, &host.kernel, &host.cpu, &host.virtualization,
                &host.cpu_identity});
  if (!f.reads()) return;
  if (const std::string fault = fault_of(host); !fault.empty()) f.fail(fault);
}

void fields(Fields& f, MachineSpeed& speed) {
  f.required("rounds", speed.rounds);
  f.required("slow_rounds", speed.slow_rounds);
  f.required("median", speed.median);
  f.required("lowest", speed.lowest);
  f.optional("best_seconds", speed.best_seconds);
  f.optional("median_seconds", speed.median_seconds);
  f.if_set("reservation", speed.reservation);
  f.if_set("clock_range", speed.clock_range);
  f.if_set("core_to_core_range", speed.core_to_core_range);
  f.if_set("instructions_per_cycle", speed.instructions_per_cycle);
  const std::string fault = fault_of(speed);
  f.expect(fault.empty(), "{}", fault);
}

std::string fault_of(const MachineSpeed& speed) {
  const auto is_share = [](double value) { return value >= 0 && value <= 1; };
  if (speed.rounds < 1 || speed.slow_rounds < 0 || speed.slow_rounds > speed.rounds)
    return fmt::format("has {} slow rounds of {}", speed.slow_rounds, speed.rounds);
  for (const double share : {speed.median, speed.lowest}) {
    if (!is_share(share)) return fmt::format("has a share of {}, which must be from 0 to 1", share);
  }
  constexpr double rounding = 1e-6;
  if (speed.lowest > speed.median + rounding)
    return fmt::format("has a median of {}, and a lowest share of {}", speed.median, speed.lowest);
  if (speed.slow_rounds == 0 && speed.lowest < trusted_speed_share - rounding)
    return fmt::format("has 0 slow rounds, and a lowest share of {}", speed.lowest);
  for (const auto* parts : {&speed.best_seconds, &speed.median_seconds}) {
    for (const auto& [part, seconds] : *parts) {
      if (!(seconds > 0) || !std::isfinite(seconds))
        return fmt::format("has a time of {} s of the probe's part '{}'", seconds, part);
    }
  }
  for (const auto& [part, seconds] : speed.median_seconds) {
    const auto best = speed.best_seconds.find(part);
    if (best != speed.best_seconds.end() && best->second > seconds * (1 + rounding))
      return fmt::format("has a best time of {} s of the probe's part '{}', and a median of {} s",
                         best->second, part, seconds);
  }
  for (const auto& [range, what] : {std::pair(speed.clock_range, "the clock"),
                                    std::pair(speed.core_to_core_range, "the core-to-core latency")}) {
    if (range && !(*range >= 1 && std::isfinite(*range)))
      return fmt::format("has a range of {} of {}, which must be at least 1", what, *range);
  }
  if (speed.instructions_per_cycle && !(*speed.instructions_per_cycle > 0))
    return "has a number of instructions per cycle that is not above 0";
  return {};
}

void fields(Fields& f, BackendRecord& backend) {
  if (f.reads()) backend.role = "contender";
  f.required("name", backend.name);
  f.required("available", backend.available);
  f.optional("reason", backend.reason);
  f.optional("version", backend.version);
  f.optional("role", backend.role);
  f.optional("device", backend.device);
  f.optional("device_name", backend.device_name);
  f.if_set("device_id", backend.device_id);
  f.optional("libraries", backend.libraries);
  f.if_set("library_files", backend.library_files);
  f.if_set("environment", backend.environment);
  f.optional("supports", backend.supports);
  f.optional("unreadable", backend.unreadable);
  f.if_set("warnings", backend.warnings);
  note_text_fields(f, "notes", backend.notes, true);
  f.optional("program", backend.program);
  cut_names(f, {&backend.name, &backend.reason, &backend.version, &backend.device_name, &backend.device_id});
}

// ---- a case

void fields(Fields& f, Parameters& parameters) {
  if (f.reads()) {
    try {
      parameters = parameters_from_json(f.reader().json());
    } catch (const ProtocolError& e) {
      f.fail(e.what());
    }
  }
  for (const auto& [name, value] : parameters.entries())
    std::visit([&, key = name.c_str()](const auto& held) { f.derived(key, held); }, value);
}

void fields(Fields& f, Timing& timing) {
  f.required("median", timing.median);
  f.optional("ci_low", timing.ci_low);
  f.optional("ci_high", timing.ci_high);
  f.optional("samples", timing.samples);
  f.optional("launches", timing.launches);
  f.optional("iterations", timing.iterations);
  f.if_set("throttled", timing.throttled);
  f.if_set("visits", timing.visits);
  f.if_set("own_speed", timing.own_speed);
}

void fields(Fields& f, Verification& verification) {
  f.number("error", verification.error);
  f.number("tolerance", verification.tolerance);
  f.required("correct", verification.correct);
  f.optional("elements", verification.elements);
  f.optional("projections", verification.projections);
  f.optional("losses", verification.losses);
  f.if_set("detail", verification.detail);
}

void fields(Fields& f, DeviceConditions& device) {
  f.optional("readings", device.readings);
  f.optional("sm_mhz", device.sm_mhz);
  f.optional("sm_mhz_least", device.sm_mhz_least);
  f.optional("memory_mhz", device.memory_mhz);
  f.optional("memory_mhz_least", device.memory_mhz_least);
  f.optional("watts", device.watts);
  f.optional("celsius", device.celsius);
  f.optional("clock_reasons", device.clock_reasons);
  f.optional("throttled_seconds", device.throttled_seconds);
  f.optional("pcie_generation", device.pcie_generation);
  f.optional("pcie_width", device.pcie_width);
  f.optional("other_processes", device.other_processes);
  f.optional("ecc_errors", device.ecc_errors);
  f.optional("unreadable", device.unreadable);
}

void fields(Fields& f, RankPlace& rank) {
  f.required("host", rank.host);
  f.optional("threads", rank.threads);
}

void fields(Fields& f, Conditions& conditions) {
  f.optional("cpus", conditions.cpus);
  f.optional("cpu_mhz", conditions.cpu_mhz);
  f.optional("steal_percent", conditions.steal_percent);
  f.optional("other_cpu_percent", conditions.other_cpu_percent);
  f.optional("throttled_seconds", conditions.throttled_seconds);
  f.optional("thermal_throttles", conditions.thermal_throttles);
  f.optional("temperature_celsius", conditions.temperature_celsius);
  f.optional("unreadable", conditions.unreadable);
  f.if_set("device", conditions.device);
  f.if_set("ranks", conditions.ranks);
}

void fields(Fields& f, Training& training) {
  f.optional("loss", training.loss);
  f.optional("loss_stride", training.loss_stride);
  f.optional("steps", training.steps);
  f.optional("accuracy", training.accuracy);
  std::optional<std::int64_t> epochs = std::ssize(training.epoch_seconds);
  if (f.reads()) epochs.reset();
  f.optional("epochs", epochs);
  f.optional("epoch_seconds", training.epoch_seconds);
  f.expect(!epochs || *epochs == std::ssize(training.epoch_seconds), "has {} epochs, and the seconds of {}",
           epochs.value_or(0), training.epoch_seconds.size());
  f.optional("epoch_accuracy", training.epoch_accuracy);
  f.optional("seconds_to_accuracy", training.seconds_to_accuracy);
}

void fields(Fields& f, Latency& latency) {
  f.number("p50", latency.p50);
  f.number("p99", latency.p99);
  f.optional("count", latency.count);
}

void fields(Fields& f, Fit& fit) {
  f.optional("largest", fit.largest);
  f.optional("refused", fit.refused);
  f.optional("limit", fit.limit);
}

void fields(Fields& f, ChosenThreads& threads) {
  f.required("chosen", threads.chosen);
  f.required("of", threads.of);
}

void case_fields(Fields& f, CaseOnBackend& c) {
  f.required("id", c.id);
  f.required("op", c.op);
  f.if_set("label", c.label);
  f.required("params", c.parameters);
  f.required("dtype", c.dtype);
  f.required("backend", c.backend);
  f.optional("device", c.device);
}

void fields(Fields& f, CaseResult& c) {
  case_fields(f, c);
  if (const Workload* workload = f.reads() ? find_workload(c.op) : nullptr) {
    const std::vector<Parameter>& known = workload->parameters();
    const std::string wrong_type = type_error(known, c.parameters);
    f.expect(wrong_type.empty(), "has parameters that are not of {}: {}", c.op, wrong_type);
    c.parameters = with_added(known, c.parameters);
  }
  f.required("status", c.status);
  f.optional("reason", c.reason);
  cut_names(f, {&c.label, &c.reason});
  f.optional("seconds", c.seconds);
  f.optional("cpu_seconds", c.cpu_seconds);
  f.if_set("communication_seconds", c.communication_seconds);
  f.optional("device_seconds", c.device_seconds);
  f.optional("joules", c.joules);
  f.number("flop", c.flop);
  f.number("bytes", c.bytes);
  f.derived("gflops", c.gflops());
  f.derived("gbps", c.gbps());
  f.if_set("samples_per_iteration", c.samples);
  f.optional("verify", c.verification);
  f.optional("algorithm", c.algorithm);
  f.if_set("threads", c.threads);
  f.optional("conditions", c.conditions);
  note_fields(f, c.warnings);
  f.if_set("training", c.training);
  f.if_set("latency", c.latency);
  f.if_set("fit", c.fit);
  if (!f.reads()) return;
  if (const std::string fault = fault_of_read(f.reader(), c); !fault.empty()) f.fail(case_fault(c, fault));
}

// ---- the file

void tool_fields(Fields& f, std::string& version, const std::function<void(Fields&)>& more) {
  f.object("tool", [&](Fields& tool) {
    tool.derived("name", "breakeven");
    tool.optional("version", version);
    more(tool);
  });
}

void fields(Fields& f, Sampling& sampling) {
  f.required("wall_seconds", sampling.wall_seconds);
  f.required("sample_seconds", sampling.sample_seconds);
  f.if_set("probe_seconds", sampling.probe_seconds);
  for (const auto& [what, seconds] : {std::pair("wall_seconds", sampling.wall_seconds),
                                      std::pair("sample_seconds", sampling.sample_seconds),
                                      std::pair("probe_seconds", sampling.probe_seconds)})
    f.expect(is_amount(seconds), "has {} of {}", what, seconds);
}

void fields(Fields& f, ShardSettings& settings) {
  f.required("precision", settings.precision);
  f.required("max_seconds", settings.max_seconds);
  f.required("energy_seconds", settings.energy_seconds);
  f.required("library_defaults", settings.library_defaults);
}

/// Lists the members of "shard_plan".
void fields(Fields& f, ShardRecord& record) {
  f.required("cases", record.cases);
  f.required("fingerprint", record.fingerprint);
  f.required("positions", record.positions);
  f.required("settings", record.settings);
  const auto& positions = record.positions;
  f.expect(std::ranges::adjacent_find(positions, std::greater_equal()) == positions.end(),
           "has positions that do not rise");
  f.expect(positions.empty() || positions.back() < record.cases, "has a position beyond its {} cases",
           record.cases);
}

/// Writes or reads "shard" and "shard_plan"; neither is there for a run of all cases.
void shard_fields(Fields& f, std::optional<ShardRecord>& record) {
  if (f.writes() && !record) return;
  if (f.reads() && f.reader().find("shard") == nullptr) {
    if (f.reader().find("shard_plan") != nullptr) f.reader().fail_at("shard_plan", "is there, and no shard");
    return;
  }
  if (f.reads()) record.emplace();
  std::string text = record->shard.text();
  f.required("shard", text);
  const auto shard = parse_shard(text);
  f.expect(shard.has_value(), "has the shard '{}'; it must be as 1/4", text);
  f.required("shard_plan", *record);
  record->shard = *shard;
}

/// Writes or reads everything but the lists, which are written with a line for each entry.
void fields(Fields& f, Result& result) {
  f.derived("schema", result_schema);
  f.if_set("created", result.created);
  const std::string fault = result.created.empty() ? "" : fault_of_date(result.created);
  if (f.reads() && !fault.empty()) f.reader().fail_at("created", fault);
  f.required("complete", result.complete);
  tool_fields(f, result.tool_version, [&](Fields& tool) {
    tool.if_set("commit", result.tool_commit);
    tool.optional("compiler", result.tool_compiler);
    tool.optional("build", result.tool_build);
  });
  note_fields(f, result.warnings);
  f.required("host", result.host);
  f.if_set("machines_differ", result.machines_differ);
  if (f.reads()) expect_counts(f.reader().child("host"));
  const Json* config = f.reads() ? f.reader().find("config") : nullptr;
  if (config != nullptr && !config->is_object() && !config->is_array())  // several configs: a list
    f.reader().fail_at("config", "must be an object, or a list of objects");
  f.json_text("config", result.config);
  shard_fields(f, result.shard);
  f.optional("sampling", result.sampling);
  f.if_set("machine_speed", result.machine_speed);
}

void expect_schema(const JsonReader& in, std::string_view schema) {
  const auto found = in.get<std::string>("schema");
  if (found != schema)
    throw JsonError(fmt::format(
        "is of schema '{}' and this program reads '{}': use the breakeven that wrote it", found, schema));
}

AnyFile::AnyFile(const TextParts& text, Detail detail)
    : detail_(detail), parsed_(text, RepeatedKey::refused, this) {}

bool AnyFile::wants(const Json& before, const std::string& key) {
  const auto schema = before.find("schema");
  received_cases_ = key == "cases" && schema != before.end() && *schema == result_schema;
  return received_cases_;
}

void AnyFile::receive(const Json& element) {
  if (error_) return;
  try {
    const JsonReader in(element, Place() / "cases" / cases_.size());
    Fields f(in);
    CaseResult& c = cases_.emplace_back();
    fields(f, c);
    read_.add(f, c);
    if (cases_.size() > 1 && c.parameters == cases_[cases_.size() - 2].parameters)
      c.parameters = cases_[cases_.size() - 2].parameters;  // shared
    if (detail_ == Detail::figures) keep_figures(c);
  } catch (const JsonError&) {
    error_ = std::current_exception();
  }
}

Result AnyFile::result() {
  if (const FileKind kind = kind_of(document()); kind != FileKind::result)
    throw JsonError(fmt::format("is {}; give a file that `breakeven run --out` wrote", describe(kind)));
  const JsonReader in(document());
  expect_schema(in, result_schema);
  auto result = read_fields<Result>(in);
  Fields(in).required("backends", result.backends);
  if (const std::string fault = fault_of(result.backends, result.host); !fault.empty())
    in.fail_at("backends", fault);
  if (!received_cases_) {  // they precede the schema
    read_cases(in, cases_);
    if (detail_ == Detail::figures) std::ranges::for_each(cases_, keep_figures);
  }
  if (error_) std::rethrow_exception(error_);
  result.cases = std::move(cases_);
  for (std::size_t i = 0; i < result.cases.size(); ++i) {
    if (const std::string fault = fault_of(result.cases[i], result); !fault.empty())
      throw JsonError((Place() / "cases" / i).pointer(), case_fault(result.cases[i], fault));
  }
  return result;
}

Result result_from_text(const std::string& text, const std::string& file, Detail detail) {
  return naming_file(file, [&] { return AnyFile(parts_of(text), detail).result(); });
}

Result read_result(const std::filesystem::path& path, Detail detail) {
  return naming_file(path.string(), [&] { return AnyFile(read_result_parts(path), detail).result(); });
}

std::string to_json_text(const Result& result, const Words& words) {
  return text_in_lines(json_of(result, &words), {lines_of("backends", result.backends, &words),
                                                 lines_of("cases", result.cases, &words)});
}

std::string to_json_text(const Result& result, const std::vector<std::string>& cases, const Words& words) {
  return text_in_lines(json_of(result, &words),
                       {lines_of("backends", result.backends, &words), lines_of_texts("cases", cases)});
}

}  // namespace breakeven
