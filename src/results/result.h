// The result file: everything one run measured, as `run` wrote it. The JSON's description is
// docs/result-file.md.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "json/names.h"
#include "json/text.h"
#include "statistics/estimate.h"
#include "statistics/summary.h"
#include "workloads/evidence.h"
#include "workloads/fit.h"
#include "workloads/parameters.h"

namespace breakeven {

enum class Status { ok, wrong, implausible, unsupported, out_of_memory, failed, timed_out, interrupted };
constexpr std::array<std::string_view, 8> names_of(Status) {
  return {"ok", "wrong", "implausible", "unsupported", "out_of_memory", "failed", "timed_out", "interrupted"};
}

/// The samples of one case on one backend: wall seconds of one iteration each.
struct Timing {
  double median = 0;
  std::optional<double> ci_low, ci_high;     // of the median, 95 %; absent with too few samples
  std::vector<double> samples;               // in the order taken
  std::vector<std::int64_t> launches;        // how many of them each fresh process gave, in order
  std::int64_t iterations = 0;               // of the last sample
  std::vector<std::int64_t> throttled = {};  // indices of samples while a GPU held its clocks down, rising
  std::vector<std::int64_t> visits = {};     // samples of each visit of a single launch; empty: one visit
  std::vector<double> own_speed = {};        // the machine's beside each sample, 0 to 1; empty: not known

  /// The interval; empty unless both ends are known, finite and above 0, which a file does not guarantee.
  std::optional<Interval> interval() const;
  /// The median with its interval.
  Estimate estimate() const { return {.value = median, .interval = interval()}; }
};

struct Latency {
  double p50 = 0, p99 = 0;  // seconds
  std::int64_t count = 0;   // iterations they were taken from
};

struct Training {
  std::vector<double> loss;  // mean over `loss_stride` steps each, from the initial weights on
  std::int64_t loss_stride = 1;
  std::int64_t steps = 0;
  std::optional<double> accuracy;     // on the test set, after the last epoch
  std::vector<double> epoch_seconds;  // of the training steps of each epoch
  std::vector<double> epoch_accuracy;
  std::optional<double>
      seconds_to_accuracy;  // training steps alone, up to the end of the epoch that reached the target
};

/// What a GPU did inside the samples of a case. Absent is unknown, and `unreadable` says why.
struct DeviceConditions {
  std::int64_t readings = 0;                   // inside samples, a few milliseconds apart
  std::optional<double> sm_mhz, sm_mhz_least;  // median of the readings, and the least
  std::optional<double> memory_mhz, memory_mhz_least;
  std::optional<double> watts;                      // median
  std::optional<double> celsius;                    // highest
  std::vector<std::string> clock_reasons;           // why clocks were not higher, all that were seen
  std::map<std::string, double> throttled_seconds;  // inside samples, by the driver's counters: "power", ...
  std::optional<std::int64_t> pcie_generation, pcie_width;  // of the link, under load
  std::optional<std::int64_t> other_processes;              // that compute on it
  std::optional<std::int64_t> ecc_errors;                   // uncorrected, new
  std::map<std::string, std::string> unreadable;            // "joules" among them: the case's
  bool operator==(const DeviceConditions&) const = default;
};

/// What the machine did while a case was measured. Absent is unknown, and `unreadable` says why.
struct Conditions {
  std::vector<int> cpus = {};               // that the threads were held on; empty: the kernel decided
  std::optional<double> cpu_mhz;            // mean over the CPUs used, at the end of the case
  std::optional<double> steal_percent;      // of CPU time, taken by the hypervisor
  std::optional<double> other_cpu_percent;  // of CPU time, used by processes that are not ours
  std::optional<double> throttled_seconds;  // by the cgroup's quota
  std::optional<double> thermal_throttles;  // events counted by the CPUs
  std::optional<double> temperature_celsius;
  std::map<std::string, std::string> unreadable;
  std::optional<DeviceConditions> device = {};  // of GPUs that say which they are
};

/// One case on one backend; (id, backend) is unique in a file.
struct CaseResult {
  std::string id, label, op;
  Parameters parameters;
  std::string dtype, backend, device;
  Status status = Status::interrupted;
  std::string reason;
  std::optional<Timing> seconds;
  std::optional<double> cpu_seconds, device_seconds, joules;  // medians, per iteration
  double flop = 0, bytes = 0;                                 // per iteration
  std::int64_t samples = 0;  // images per iteration; 0 where that has no meaning
  std::optional<Verification> verification;
  std::string algorithm;
  Conditions conditions;
  std::vector<std::string> warnings;
  std::optional<Training> training;
  std::optional<Latency> latency;
  std::optional<Fit> fit;

  /// True if the status is ok and the median can be compared: finite and above 0, which a file does not
  /// guarantee.
  bool has_time() const;
  /// The rates of operations and of bytes; empty unless the status is ok. gflops() is also empty without
  /// operations.
  std::optional<double> gflops() const;
  std::optional<double> gbps() const;
};

struct BackendRecord {
  std::string name, version, role, device, device_name;
  std::string device_id = {};  // a GPU's UUID; empty where the backend does not say
  std::vector<std::pair<std::string, std::string>> libraries;           // name, version
  std::vector<std::pair<std::string, std::string>> library_files = {};  // name, the file that was loaded
  std::vector<std::pair<std::string, std::vector<std::string>>> supports;
  std::map<std::string, std::string> unreadable;
  std::vector<std::string> warnings = {};  // what makes it slower here than it could be, with the remedy
  std::vector<std::string> notes = {};     // what else a reader of its results should know
  std::string program;                     // path
  bool available = false;
  std::string reason;  // why not

  bool has_operation(std::string_view op) const;
};

/// A GPU that backends compute on, as its driver describes it. Absent is unknown, and `unreadable` says why.
struct Gpu {
  std::string id;                     // as backends call it
  std::optional<std::string> name;    // as the driver does
  std::optional<std::string> driver;  // its version
  std::optional<std::int64_t> memory_bytes;
  std::optional<bool> ecc, mig, persistence;  // modes
  std::optional<std::string> compute_mode;
  std::optional<std::int64_t> pcie_generation, pcie_width;            // at this moment: an idle link is slow
  std::optional<std::int64_t> pcie_generation_most, pcie_width_most;  // what card and slot can do
  std::optional<double> power_limit_watts, power_limit_default_watts;
  std::optional<double> sm_mhz_most, memory_mhz_most;
  std::map<std::string, std::string> unreadable;
  bool operator==(const Gpu&) const = default;
};

struct Host {
  std::string name, os, kernel, cpu, virtualization;
  int cpus = 0, cores = 0, threads = 0;  // allowed CPUs, their physical cores, threads computed with
  std::optional<double> cpu_quota;
  std::int64_t memory_bytes = 0;
  std::string cpu_identity = {};  // its own numbers (host/cpu.h): "AMD EPYC" is several; empty: not known
  std::vector<std::string> cpu_features;  // those that decide which kernels run
  std::map<std::string, std::string>
      settings;  // governor, turbo, huge pages, ...; what could not be read says so
  /// The environment variables that steer libraries (host/steering.h); empty if it is unknown which were set.
  std::optional<std::map<std::string, std::string>> environment = {};
  std::vector<Gpu> gpus = {};  // that backends compute on, each once
  // Not part of files, for reports of several machines:
  std::string own_name = {};  // as the file has it, where `name` is another
  bool is_labelled = false;   // `name` is the user's (`--label`)

  /// The name in the file.
  const std::string& recorded_name() const { return own_name.empty() ? name : own_name; }
  bool operator==(const Host&) const = default;
};

/// How well a run used its time once workers were prepared. The rest of the wall time is spent by the driver,
/// by the protocol, on flushing caches, and on pauses for GPUs that throttle.
struct Sampling {
  double wall_seconds = 0;    // from the first sample of each problem to its last, of all problems
  double sample_seconds = 0;  // inside the samples, of all backends
  double probe_seconds = 0;   // of the speed probe in between
  bool operator==(const Sampling&) const = default;
};

/// How fast the machine was while something was measured, as part of its own speed: docs/machine-speed.md.
struct MachineSpeed {
  std::int64_t rounds = 0;                            // the machine is probed after each
  std::int64_t slow_rounds = 0;                       // in which it ran below `trusted_speed_share`
  double median = 1, lowest = 1;                      // of all rounds, 0 to 1; `lowest` is the 5 % quantile
  std::map<std::string, double> best_seconds;         // of the probe's parts: throughput, l2, clock, memory
  std::map<std::string, double> median_seconds = {};  // likewise; empty: an older program wrote it
  std::string reservation = {};  // why its own speed may be higher than was seen; empty: it is known
  std::optional<double> clock_range = {};  // of the clock, 95 % quantile over 5 %; absent: an older program
  /// Of the probe's arithmetic, by hardware counters: the median over the rounds of the slowest CPU. Absent
  /// where the kernel lets nobody read them.
  std::optional<double> instructions_per_cycle = {};

  bool operator==(const MachineSpeed&) const = default;
};

struct Result {
  std::string created;  // UTC, ISO 8601
  bool complete = false;
  std::string tool_version, tool_compiler, tool_build;
  std::vector<std::string> warnings;  // of the whole run
  Host host;
  std::string config;                              // JSON text, as given
  std::optional<MachineSpeed> machine_speed = {};  // of the process that wrote the file; absent: not probed
  std::optional<Sampling> sampling;  // of the process that wrote the file; absent where nothing was sampled
  std::vector<BackendRecord> backends;
  std::vector<CaseResult> cases;
};

/// An invalid result file; the message names the file, the place and the remedy.
class ResultError : public JsonError {
 public:
  using JsonError::JsonError;
};

/// "-" is standard input. Throws ResultError.
Result read_result(const std::filesystem::path& path);
/// The same of text that was read from `file`, which errors name.
Result result_from_text(const std::string& text, const std::string& file);

/// Writes result files by renaming a finished one into place, so that a kill at any moment leaves a whole
/// file. Keeps the cases' text, so that writing often costs little.
class ResultWriter {
 public:
  /// "-" is standard output. Standard output, and any path that is not an ordinary file, such as a pipe or
  /// /dev/null, is written once, by finish(). A link is followed, and folders that are missing are made. Only
  /// checks: throws ResultError, before anything is measured, if the file cannot be written. An older file
  /// and its NAME.previous.json stay until a case is measured; then the older file becomes
  /// NAME.previous.json.
  explicit ResultWriter(std::filesystem::path path);

  /// Writes all of `result`; the cases from `first_changed` on are new. Skips writing if it has taken more
  /// than a fiftieth of the time since the start. Leaves a full disk to finish(): the file stays as it was
  /// last written.
  void update(const Result& result, std::size_t first_changed);
  /// Writes everything that update() skipped. If that fails, tries the folder for temporary files, so that no
  /// measurement is lost, and throws a ResultError which says where it is. Returns false if nothing was
  /// measured and an older file stays as it is.
  bool finish(const Result& result);
  const std::filesystem::path& path() const { return path_; }

 private:
  bool must_stay(const Result& result) const;
  void write(const std::string& text);

  std::filesystem::path path_;
  bool has_older_ = false;          // an ordinary file that was there before
  bool older_is_kept_ = false;      // beside it
  bool replaceable_ = false;        // an ordinary file, or none yet
  std::vector<std::string> texts_;  // of each case
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double seconds_writing_ = 0;
};

std::string to_json_text(const Result& result);
/// The same with the cases' texts, as to_json_text(CaseResult) gives them, at hand.
std::string to_json_text(const Result& result, const std::vector<std::string>& cases);
std::string to_json_text(const CaseResult& result);
std::string to_json_text(const BackendRecord& backend);
std::string to_json_text(const Host& host);

}  // namespace breakeven
