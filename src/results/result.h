// The result file: everything that one run measured, as `run` writes it. docs/result-file.md describes the
// JSON.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "json/names.h"
#include "json/text.h"
#include "results/note.h"
#include "results/rare.h"
#include "results/shard.h"
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
/// True for a result that is wrong, or impossibly fast.
constexpr bool is_wrong(Status status) {
  return status == Status::wrong || status == Status::implausible;
}

/// What reports need of the samples of a case. Absent values are unknown.
struct SampleFigures {
  std::size_t count = 0;
  double seconds = 0;                                // of all iterations of all samples
  std::optional<double> shortest = {};               // seconds of an iteration in the shortest sample
  std::optional<double> own_speed_of_shortest = {};  // the machine's speed at it, 0 to 1
  std::optional<double> own_speed = {};              // its median over the samples that are counted
  /// The median of each launch's counted samples, in seconds; a launch without any is left out. Absent with
  /// one launch, and if the file does not record the launch of each sample.
  std::optional<std::vector<double>> launch_medians = {};
  std::size_t hash = 0;  // of all samples, to find copies
};

/// The samples of one case on one backend: wall seconds of one iteration each.
struct Timing {
  double median = 0;
  /// The 95 % interval of the median; absent with too few samples.
  std::optional<double> ci_low = {}, ci_high = {};
  std::vector<double> samples;                // in the order measured
  std::vector<std::int64_t> launches = {};    // samples in each launch, in order
  std::int64_t iterations = 0;                // in the last sample
  std::vector<std::int64_t> throttled = {};   // samples while a GPU lowered its clocks: indices, rising
  std::vector<std::int64_t> visits = {};      // samples in each visit of a single launch; empty: one visit
  std::vector<double> own_speed = {};         // the machine's speed at each sample, 0 to 1; empty: unknown
  std::optional<SampleFigures> figures = {};  // in place of samples that were not kept (Detail::figures)

  /// The interval of these samples; empty unless both ends are known, finite and above 0, which a file does
  /// not guarantee.
  std::optional<Interval> interval() const;
  /// The median with an interval for other launches in the same run, too: the one of these samples, widened
  /// by `launch_deviation`.
  Estimate estimate() const;
};

struct Latency {
  double p50 = 0, p99 = 0;  // seconds
  std::int64_t count = 0;   // iterations that were timed
};

struct Training {
  std::vector<double> loss;  // each the mean over `loss_stride` steps, from the initial weights
  std::int64_t loss_stride = 1;
  std::int64_t steps = 0;
  std::optional<double> accuracy;     // on the test set, after the last epoch
  std::vector<double> epoch_seconds;  // duration of the training steps of each epoch
  std::vector<double> epoch_accuracy;
  std::optional<double>
      seconds_to_accuracy;  // training steps only, until the end of the epoch that reached the target
};

/// Readings of a GPU during the samples of a case. Absent values are unknown; `unreadable` gives the reason.
struct DeviceConditions {
  std::int64_t readings = 0;                   // during samples, at least 20 ms apart
  std::optional<double> sm_mhz, sm_mhz_least;  // median of the readings, and the lowest
  std::optional<double> memory_mhz, memory_mhz_least;
  std::optional<double> watts;                              // in the run that measures energy
  std::optional<double> celsius;                            // highest
  std::vector<std::string> clock_reasons;                   // all reasons seen why clocks were not higher
  std::map<std::string, double> throttled_seconds;          // during samples, by reason: "power", ...
  std::optional<std::int64_t> pcie_generation, pcie_width;  // of the link, under load
  std::optional<std::int64_t> other_processes;              // processes that compute on it
  std::optional<std::int64_t> ecc_errors;                   // uncorrected errors during the case
  std::map<std::string, std::string> unreadable;            // reasons by name; "joules" is the case's
  bool operator==(const DeviceConditions&) const = default;
};

/// The place of a rank: its host, and its threads there.
struct RankPlace {
  std::string host;
  int threads = 1;
};

/// Conditions of the machine while a case was measured. Absent values are unknown; `unreadable` gives the
/// reason.
struct Conditions {
  std::vector<int> cpus = {};               // that the threads were pinned to; empty: not pinned
  std::optional<double> cpu_mhz;            // mean over the CPUs used, at the end of the case
  std::optional<double> steal_percent;      // of CPU time, taken by the hypervisor
  std::optional<double> other_cpu_percent;  // of CPU time, used by other processes
  std::optional<double> throttled_seconds;  // because of the cgroup's quota
  std::optional<double> thermal_throttles;  // events counted by the CPUs
  std::optional<double> temperature_celsius;
  std::map<std::string, std::string> unreadable;
  Rare<DeviceConditions> device = {};  // for GPUs that can be identified
  std::vector<RankPlace> ranks = {};   // of a case that several processes computed, in their order
};

/// The number of threads of a case that is faster with fewer than the others of its backend have.
struct ChosenThreads {
  int chosen = 0, of = 0;
  bool operator==(const ChosenThreads&) const = default;
};

/// A case on a backend; (id, backend) is unique in a file.
struct CaseOnBackend {
  std::string id, label, op;
  Parameters parameters;
  std::string dtype, backend, device;
};

/// The result of one case on one backend.
struct CaseResult : CaseOnBackend {
  Status status = Status::interrupted;
  std::string reason;
  std::optional<Timing> seconds;
  std::optional<double> cpu_seconds, device_seconds, joules;  // medians, per iteration
  std::optional<double> communication_seconds;                // the same; mean over the ranks
  double flop = 0, bytes = 0;                                 // per iteration
  std::int64_t samples = 0;                                   // images per iteration; 0 if not applicable
  std::optional<Verification> verification;
  std::string algorithm;
  std::optional<ChosenThreads> threads = {};  // empty: those of the run
  Conditions conditions;
  std::vector<Note> warnings;
  Rare<Training> training;
  Rare<Latency> latency;
  Rare<Fit> fit;

  /// True if the status is ok and the median is a time that a clock can have measured, which a file does not
  /// guarantee. Only such results are compared and ranked.
  bool has_time() const;
  /// The rates of operations and of bytes; empty without a time. gflops() is also empty without operations.
  std::optional<double> gflops() const;
  std::optional<double> gbps() const;
};

/// Makes `best` point to `one` if that is faster or `best` is null. Both have a time.
void keep_faster(const CaseResult*& best, const CaseResult& one);

struct BackendRecord {
  std::string name, version, role, device, device_name;
  std::string device_id = {};                                           // a GPU's UUID; empty if unknown
  std::vector<std::pair<std::string, std::string>> libraries;           // name, version
  std::vector<std::pair<std::string, std::string>> library_files = {};  // name, path of the loaded file
  std::vector<std::pair<std::string, std::vector<std::string>>> supports;
  std::map<std::string, std::string> unreadable;
  std::vector<std::string> warnings = {};  // reasons why it is slower here than it could be, with remedies
  std::vector<Note> notes = {};            // other information for readers of its results
  std::string program;                     // path
  bool available = false;
  std::string reason;  // why it is not available
  /// By path, the state of the program's file and its libraries' when it answered. Not part of files.
  std::map<std::string, std::string> file_stamps = {};
  std::vector<std::pair<std::string, std::string>> environment = {};  // set for its choice of kernels

  bool has_operation(std::string_view op) const;
  bool is_reference() const { return role == "arbiter"; }
};

/// A GPU that backends compute on, as its driver describes it. Absent values are unknown; `unreadable` gives
/// the reason.
struct Gpu {
  std::string id;                     // the same as in backends' records
  std::optional<std::string> name;    // the driver's name for it
  std::optional<std::string> driver;  // version
  std::optional<std::int64_t> memory_bytes;
  std::optional<bool> ecc, mig, persistence;  // modes
  std::optional<std::string> compute_mode;
  std::optional<std::int64_t> pcie_generation, pcie_width;            // current link; it is slow while idle
  std::optional<std::int64_t> pcie_generation_most, pcie_width_most;  // maximum of GPU and slot
  std::optional<double> power_limit_watts, power_limit_default_watts;
  std::optional<double> sm_mhz_most, memory_mhz_most;
  std::map<std::string, std::string> unreadable;
  bool operator==(const Gpu&) const = default;
};

struct Host {
  std::string name, os, kernel, cpu, virtualization;
  std::string machine = {};              // the user's name for it (`run --machine`); empty: none
  int cpus = 0, cores = 0, threads = 0;  // allowed CPUs, their physical cores, threads used
  std::optional<double> cpu_quota;
  std::int64_t memory_bytes = 0;
  std::string cpu_identity = {};          // the CPU's own numbers (host/cpu.h); empty: unknown
  std::vector<std::string> cpu_features;  // those that affect the choice of kernels
  std::map<std::string, std::string>
      settings;  // governor, turbo, huge pages, ...; "unknown ..." if not readable
  /// The environment variables that influence libraries (host/library_variables.h); empty if it is unknown
  /// which were set.
  std::optional<std::map<std::string, std::string>> environment = {};
  std::vector<Gpu> gpus = {};  // GPUs that backends compute on, each once
  // Not part of files; used in reports of several machines:
  std::string own_name = {};  // as the file has it, where `name` is another
  bool is_labelled = false;   // `name` is the user's (`--label`, `run --machine`)

  /// The host's name in the file.
  const std::string& recorded_name() const { return own_name.empty() ? name : own_name; }
  bool operator==(const Host&) const = default;
};

/// How a run used its time once workers were prepared. The rest of the wall time is that of the driver, the
/// protocol, flushing caches, and pauses for GPUs that throttle.
struct Sampling {
  double wall_seconds = 0;    // sum over all problems of the time from first to last sample
  double sample_seconds = 0;  // during samples, of all backends
  double probe_seconds = 0;   // of the speed probe, between samples
  bool operator==(const Sampling&) const = default;
};

/// The core-to-core latency of one machine changes by more than this factor only if its cores were moved to
/// other chips: docs/machine-speed.md.
inline constexpr double moved_cores_factor = 2;

/// The machine's speed during a run, as a fraction of its own speed: docs/machine-speed.md.
struct MachineSpeed {
  std::int64_t rounds = 0;                            // the machine is probed after each round
  std::int64_t slow_rounds = 0;                       // rounds below `trusted_speed_share`
  double median = 1, lowest = 1;                      // over all rounds, 0 to 1; `lowest` is the 5 % quantile
  std::map<std::string, double> best_seconds = {};    // by part of the probe: throughput, l2, clock...
  std::map<std::string, double> median_seconds = {};  // likewise; empty in files of older versions
  std::string reservation = {};  // why its own speed may be higher than observed; empty: it is known
  std::optional<double> clock_range = {};         // 95 % quantile over 5 %; absent in files of older versions
  std::optional<double> core_to_core_range = {};  // likewise, of the core-to-core latency
  /// Instructions per cycle of the probe's arithmetic, from hardware counters: the median over the rounds,
  /// for the slowest CPU. Absent if the kernel does not allow reading them.
  std::optional<double> instructions_per_cycle = {};

  bool operator==(const MachineSpeed&) const = default;
};

/// The speeds of two parts of a run as one. Files do not have each round, so medians are means of the parts'
/// medians by rounds, and extremes are the parts' worst. Empty if neither was probed.
std::optional<MachineSpeed> joined_speeds(std::optional<MachineSpeed> first,
                                          const std::optional<MachineSpeed>& second);

struct Result {
  std::string created;  // UTC, ISO 8601
  bool complete = false;
  std::string tool_version, tool_compiler, tool_build;
  std::string tool_commit = {};  // of this program's source, as `--version` shows it; empty if unknown
  std::vector<Note> warnings;    // about the whole run
  Host host;
  std::string config;                              // JSON text, unchanged
  std::optional<ShardRecord> shard = {};           // absent: all cases of the config were measured
  bool machines_differ = false;                    // `host` is one of several that measured cases
  std::optional<MachineSpeed> machine_speed = {};  // over all parts of a continued run; absent: not probed
  std::optional<Sampling> sampling;  // of the process that wrote the file; absent without samples
  std::vector<BackendRecord> backends;
  std::vector<CaseResult> cases;
};

/// Seconds since 1970 of "2026-11-01T12:00:00Z", as in `created`; empty if the text is not such a time.
std::optional<double> unix_seconds(const std::string& utc);

/// Thrown for an invalid result file. The message names the file, the place and the remedy.
class ResultError : public JsonError {
 public:
  using JsonError::JsonError;
};

/// What is kept of the cases of a file: everything, or the figures that reports show, in a fraction of the
/// memory. Figures cannot be written as a file again.
enum class Detail { everything, figures };

/// Reads a result file; "-" is standard input. Throws ResultError.
Result read_result(const std::filesystem::path& path, Detail detail = Detail::everything);
/// The same for text that was read from `file`, which errors name.
Result result_from_text(const std::string& text, const std::string& file, Detail detail = Detail::everything);

/// Writes result files. It renames a finished file into place, so that the file is complete even if the
/// process is killed. It keeps the cases' text, so that frequent writing costs little.
class ResultWriter {
 public:
  /// Only checks `path`: throws ResultError, before anything is measured, if the file cannot be written. "-"
  /// is standard output. Standard output, and any path that is not an ordinary file, such as a pipe or
  /// /dev/null, is written once, by finish(). Links are followed, and missing folders are made. An older file
  /// and its NAME.previous.json stay until a case is measured; then the older file becomes
  /// NAME.previous.json.
  /// `most` is the size of the largest file, in bytes.
  explicit ResultWriter(std::filesystem::path path, const Words& words,
                        std::uintmax_t most = largest_document);

  /// Writes all of `result`, once something is measured. The cases from index `first_changed` have changed
  /// since the last call. Does nothing if it has taken more than 2 % of the time since the start. Ignores
  /// errors such as a full disk or a lack of memory, which leave the last file in place; finish() reports
  /// them. Throws FileTooLarge if the file would be too large: before anything is measured, if all cases with
  /// a few samples each do not fit; later, once the file is nearly full, so that what was measured still
  /// fits.
  void update(const Result& result, std::size_t first_changed);
  /// Writes everything that update() skipped. If that fails, saves the results elsewhere (rescue.h), so that
  /// no measurement is lost, and throws a ResultError that gives the place. Returns false if nothing was
  /// measured and an older file stays as it is.
  bool finish(const Result& result);
  const std::filesystem::path& path() const { return path_; }

 private:
  bool must_stay(const Result& result) const;
  void expect_room(const Result& result, bool at_start) const;
  void write(const std::string& text);

  std::filesystem::path path_;
  bool has_older_ = false;      // an ordinary file existed before
  bool older_is_kept_ = false;  // as NAME.previous.json
  const Words* words_;
  std::uintmax_t most_;
  std::uintmax_t size_ = 0;                                             // of the texts, in bytes
  std::vector<std::string> texts_;                                      // one per case
  std::size_t changed_from_ = std::numeric_limits<std::size_t>::max();  // the first whose text is older
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double seconds_writing_ = 0;
};

std::string to_json_text(const Result& result, const Words& words);
/// The same with the JSON texts of the cases.
std::string to_json_text(const Result& result, const std::vector<std::string>& cases, const Words& words);

}  // namespace breakeven
