#include "reports/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <type_traits>

#include "results/counted_samples.h"
#include "statistics/summary.h"
#include "workloads/workload.h"

namespace breakeven {
namespace {

std::optional<double> usable(const std::optional<double>& seconds) {
  const auto positive = [](double x) { return std::isfinite(x) && x > 0; };
  if (!seconds || !positive(*seconds) || !positive(*seconds * 1e9) || !positive(1 / *seconds))
    return std::nullopt;
  return seconds;
}

/// Follows pointers to members into parts that may be missing, to a number or to a list, whose size counts.
template <typename T>
std::optional<double> follow(const T& value) {
  if constexpr (std::is_arithmetic_v<T>)
    return static_cast<double>(value);
  else if constexpr (requires { value.size(); })
    return static_cast<double>(value.size());
  else
    return value ? follow(*value) : std::nullopt;
}
template <auto Field, auto... Rest, typename T>
std::optional<double> follow(const T& part) {
  if constexpr (requires { part.*Field; })
    return follow<Rest...>(part.*Field);
  else
    return part ? follow<Field, Rest...>(*part) : std::nullopt;
}

/// A field of the result, or of a part of it.
template <auto... Fields>
std::optional<double> of(const MeasuredCase& c) {
  return follow<Fields...>(*c.result);
}

template <auto Field>
constexpr auto of_timing = of<&CaseResult::seconds, Field>;
template <auto Field>
constexpr auto of_conditions = of<&CaseResult::conditions, Field>;
template <auto Field>
constexpr auto of_gpu = of<&CaseResult::conditions, &Conditions::device, Field>;

/// The same for a value that is 0 only if it is unknown.
template <std::optional<double> (*get)(const MeasuredCase&)>
std::optional<double> above_0(const MeasuredCase& c) {
  const auto value = get(c);
  return value && *value > 0 ? value : std::nullopt;
}

template <std::optional<double> (*get)(const MeasuredCase&)>
std::optional<double> usable_time(const MeasuredCase& c) {
  return usable(get(c));
}

/// The rate per second, if the case is ok.
template <std::optional<double> (*get)(const MeasuredCase&)>
std::optional<double> rate_of(const MeasuredCase& c) {
  const auto timed = speed(*c.result);
  const auto amount = get(c);
  return timed && amount && *amount > 0 ? std::optional(*amount / timed->seconds) : std::nullopt;
}

std::optional<double> spread_of_median(const MeasuredCase& c) {
  const auto timed = speed(*c.result);
  if (!timed || !timed->low || !timed->high) return std::nullopt;
  return relative_half_width({.low = *timed->low, .high = *timed->high}, timed->seconds);
}

template <bool first>
std::optional<double> end_of_losses(const MeasuredCase& c) {
  const auto& training = c.result->training;
  if (!training || training->loss.empty()) return std::nullopt;
  return first ? training->loss.front() : training->loss.back();
}

std::optional<double> timing_samples(const MeasuredCase& c) {
  if (!c.result->seconds) return std::nullopt;
  return static_cast<double>(sample_figures(*c.result->seconds).count);
}

std::optional<double> epoch_seconds(const MeasuredCase& c) {
  const auto& training = c.result->training;
  if (!training || training->epoch_seconds.empty()) return std::nullopt;
  return median(training->epoch_seconds);
}

/// The algorithm bandwidth of a collective operation, as nccl-tests define it, in GB/s.
std::optional<double> data_rate(const MeasuredCase& c) {
  const auto timed = speed(*c.result);
  const Workload* workload = find_workload(c.result->op);
  if (!timed || workload == nullptr || !workload->is_collective()) return std::nullopt;
  return static_cast<double>(c.result->parameters.integer("bytes")) / timed->seconds / 1e9;
}

std::optional<double> throttled_samples(const MeasuredCase& c) {
  return c.result->conditions.device ? of_timing<&Timing::throttled>(c) : std::nullopt;
}

}  // namespace

std::span<const CaseMetric> metrics() {
  using enum CellKind;
  static const auto all = std::to_array<CaseMetric>({
      {"seconds", "Wall time of one iteration: the median of the samples.", "time", seconds,
       usable_time<of_timing<&Timing::median>>, "seconds", "seconds"},
      {"seconds_ci_low", "Lower end of the 95 % confidence interval of that median.", "from", seconds,
       usable_time<of_timing<&Timing::ci_low>>, "seconds", "ci_low_seconds"},
      {"seconds_ci_high", "Upper end of the 95 % confidence interval of that median.", "to", seconds,
       usable_time<of_timing<&Timing::ci_high>>, "seconds", "ci_high_seconds"},
      {"spread", "Half of that interval over the median.", "95 %", spread, spread_of_median, "ratio"},
      {"timing_samples", "Samples that were taken.", "samples", count, timing_samples},
      {"launches", "Fresh processes that took them.", "launches", count,
       above_0<of_timing<&Timing::launches>>},
      {"iterations", "Iterations in the last sample.", "iterations", count,
       above_0<of_timing<&Timing::iterations>>},
      {"cpu_seconds", "CPU time of all threads in one iteration.", "CPU time", seconds,
       of<&CaseResult::cpu_seconds>, "seconds", "cpu_seconds"},
      {"device_seconds", "Time of one iteration on the device alone.", "device time", seconds,
       of<&CaseResult::device_seconds>, "seconds", "device_seconds"},
      {"communication_seconds",
       "Time of one iteration in which a rank waits for communication, the mean over the ranks.",
       "communication", seconds, of<&CaseResult::communication_seconds>, "seconds", "communication_seconds"},
      {"joules", "Energy of one iteration.", "energy", joules, of<&CaseResult::joules>, "joules", "joules"},
      {"flop", "Floating-point operations of one iteration.", "FLOP", number, of<&CaseResult::flop>},
      {"bytes", "Bytes that one iteration must move at least.", "bytes", number, of<&CaseResult::bytes>,
       "bytes"},
      {"gflops", "Billions of floating-point operations a second.", "GFLOP/s", number,
       [](const MeasuredCase& c) { return c.result->gflops(); }},
      {"gbps", "Billions of bytes a second.", "GB/s", number,
       [](const MeasuredCase& c) { return c.result->gbps(); }},
      {"data_gbps", "Billions of bytes of a collective operation's data a second: algorithm bandwidth.",
       "data GB/s", number, data_rate},
      {"flop_per_second", "Floating-point operations a second, a multiply-add counted as two.", "FLOP/s",
       number, rate_of<of<&CaseResult::flop>>, "", "flop_per_second"},
      {"bytes_per_second", "Bytes that must move at least, a second.", "bytes/s", number,
       rate_of<of<&CaseResult::bytes>>, "", "bytes_per_second"},
      {"samples_per_iteration", "Images or sequences in one iteration.", "batch", count,
       above_0<of<&CaseResult::samples>>},
      {"samples_per_second", "Images or sequences that training or inference takes in, a second.", "images/s",
       number, rate_of<of<&CaseResult::samples>>, "", "samples_per_second"},
      {"roofline_share", "The least time that the device's ceilings allow, over the time taken.",
       "of ceiling", percent,
       [](const MeasuredCase& c) { return c.roofline ? std::optional(c.roofline->share) : std::nullopt; },
       "ratio"},
      {"latency_p50", "Median of the latencies of single batches of inference.", "p50", seconds,
       of<&CaseResult::latency, &Latency::p50>, "seconds", "latency_p50_seconds"},
      {"latency_p99", "99th percentile of the latencies of single batches of inference.", "p99", seconds,
       of<&CaseResult::latency, &Latency::p99>, "seconds", "latency_p99_seconds"},
      {"latency_count", "Batches that the latencies are of.", "batches", count,
       of<&CaseResult::latency, &Latency::count>},
      {"training_steps", "Training steps that were taken.", "steps", count,
       of<&CaseResult::training, &Training::steps>},
      {"loss_first", "Loss of the first steps.", "first loss", number, end_of_losses<true>},
      {"loss_last", "Loss of the last steps.", "last loss", number, end_of_losses<false>},
      {"accuracy", "Fraction of the test set that the trained network gets right.", "accuracy", percent,
       of<&CaseResult::training, &Training::accuracy>, "ratio", "accuracy_ratio"},
      {"epochs", "Epochs of training.", "epochs", count, of<&CaseResult::training, &Training::epoch_seconds>},
      {"epoch_seconds", "Median time of the training steps of one epoch.", "epoch", seconds, epoch_seconds,
       "seconds"},
      {"seconds_to_accuracy", "Time of training steps up to the accuracy asked for.", "to target", seconds,
       of<&CaseResult::training, &Training::seconds_to_accuracy>, "seconds", "to_accuracy_seconds"},
      {"fit_largest", "The largest size that fits into the device's memory.", "largest", count,
       of<&CaseResult::fit, &Fit::largest>, "", "fit_largest"},
      {"fit_refused", "The smallest size that did not fit.", "too large", count,
       above_0<of<&CaseResult::fit, &Fit::refused>>},
      {"verify_error", "Largest error found, in units of a typical element of the result.", "error", number,
       of<&CaseResult::verification, &Verification::error>, "", "verify_error"},
      {"verify_tolerance", "The largest error that is allowed, in the same units.", "tolerance", number,
       of<&CaseResult::verification, &Verification::tolerance>},
      {"cpu_mhz", "Mean clock of the CPUs used.", "CPU MHz", number, of_conditions<&Conditions::cpu_mhz>},
      {"steal_percent", "CPU time that the hypervisor took.", "steal %", number,
       of_conditions<&Conditions::steal_percent>},
      {"other_cpu_percent", "CPU time of other processes.", "others %", number,
       of_conditions<&Conditions::other_cpu_percent>},
      {"throttled_seconds", "Time that the quota of the cgroup took.", "quota", seconds,
       of_conditions<&Conditions::throttled_seconds>, "seconds"},
      {"thermal_throttles", "Times that a CPU became too hot.", "too hot", count,
       of_conditions<&Conditions::thermal_throttles>},
      {"temperature_celsius", "Temperature of the CPU.", "CPU °C", number,
       of_conditions<&Conditions::temperature_celsius>, "celsius"},
      {"gpu_sm_mhz", "Median clock of the GPU's cores.", "GPU MHz", number,
       of_gpu<&DeviceConditions::sm_mhz>},
      {"gpu_sm_mhz_least", "Lowest clock of the GPU's cores.", "lowest", number,
       of_gpu<&DeviceConditions::sm_mhz_least>},
      {"gpu_memory_mhz", "Median clock of the GPU's memory.", "memory MHz", number,
       of_gpu<&DeviceConditions::memory_mhz>},
      {"gpu_memory_mhz_least", "Lowest clock of the GPU's memory.", "lowest", number,
       of_gpu<&DeviceConditions::memory_mhz_least>},
      {"gpu_watts", "Power of the GPU in the run that measures energy.", "power", number,
       of_gpu<&DeviceConditions::watts>, "watts"},
      {"gpu_celsius", "Highest temperature of the GPU.", "GPU °C", number, of_gpu<&DeviceConditions::celsius>,
       "celsius"},
      {"gpu_throttled_samples", "Samples during which the GPU lowered its clocks.", "throttled", count,
       throttled_samples},
      {"gpu_pcie_generation", "Generation of the PCIe link, under load.", "PCIe", count,
       of_gpu<&DeviceConditions::pcie_generation>},
      {"gpu_pcie_width", "Lanes of the PCIe link, under load.", "lanes", count,
       of_gpu<&DeviceConditions::pcie_width>},
      {"gpu_other_processes", "Other processes that compute on the GPU.", "others", count,
       of_gpu<&DeviceConditions::other_processes>},
      {"gpu_ecc_errors", "New uncorrected errors of the GPU's memory.", "ECC errors", count,
       of_gpu<&DeviceConditions::ecc_errors>},
  });
  return all;
}

const CaseMetric& find_metric(std::string_view name) {
  const auto all = metrics();
  const auto found = std::ranges::find(all, name, &CaseMetric::name);
  if (found == all.end()) throw std::out_of_range(fmt::format("there is no metric {}", name));
  return *found;
}

std::optional<double> value_of(const CaseMetric& metric, const MeasuredCase& measured) {
  const auto value = metric.value(measured);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::optional<Speed> speed(const CaseResult& result) {
  if (result.status != Status::ok || !result.seconds) return std::nullopt;
  const auto seconds = usable(result.seconds->median);
  if (!seconds) return std::nullopt;
  return Speed{
      .seconds = *seconds, .low = usable(result.seconds->ci_low), .high = usable(result.seconds->ci_high)};
}

}  // namespace breakeven
