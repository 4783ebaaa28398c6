#include "results/validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <initializer_list>
#include <iomanip>
#include <set>
#include <span>
#include <sstream>
#include <utility>

#include "protocol/possible_seconds.h"
#include "results/counted_samples.h"
#include "statistics/summary.h"
#include "workloads/workload.h"

namespace breakeven {
namespace {

constexpr double rounding = 1e-6;

bool agree(double given, double computed) {
  return std::abs(given - computed) <= rounding * std::abs(computed);
}

bool is_at_least(double value, double least) {
  return value >= least - rounding * std::abs(least);
}

std::string first_of(std::initializer_list<std::string> faults) {
  for (const std::string& fault : faults) {
    if (!fault.empty()) return fault;
  }
  return "";
}

/// Counts of samples by launch, or by visit.
std::string fault_of_counts(std::string_view what, const std::vector<std::int64_t>& counts,
                            std::size_t samples) {
  const auto too_small = std::ranges::find_if(counts, [](std::int64_t count) { return count < 1; });
  if (too_small != counts.end())
    return fmt::format("has {} {}: one has {} samples", counts.size(), what, *too_small);
  auto left = static_cast<std::int64_t>(samples);
  for (const std::int64_t count : counts) left = count > left ? -1 : left - count;
  if (left == 0) return "";
  return fmt::format("has {} {} that do not add up to its {} samples: {}", counts.size(), what, samples,
                     fmt::join(std::span(counts).first(std::min<std::size_t>(counts.size(), 10)), ", "));
}

std::string fault_of_indices(const std::vector<std::int64_t>& throttled, std::size_t samples) {
  for (std::size_t i = 0; i < throttled.size(); ++i) {
    if (throttled[i] < 0 || throttled[i] >= static_cast<std::int64_t>(samples))
      return fmt::format("has the throttled sample {}, and {} samples", throttled[i], samples);
    if (i > 0 && throttled[i] <= throttled[i - 1])
      return fmt::format("has the throttled samples {} and then {}, which must rise", throttled[i - 1],
                         throttled[i]);
  }
  return "";
}

std::string fault_of_samples(const Timing& timing) {
  const std::size_t count = timing.samples.size();
  const auto impossible = std::ranges::find_if_not(timing.samples, is_possible);
  if (impossible != timing.samples.end()) return fault_of_sample(*impossible);
  if (std::string fault = fault_of_counts("launches", timing.launches, count);
      !fault.empty() && !(count == 0 && timing.launches.empty()))
    return fault;
  if (!timing.visits.empty()) {
    if (std::string fault = fault_of_counts("visits", timing.visits, count); !fault.empty()) return fault;
    if (timing.launches.size() > 1)
      return fmt::format("has {} launches and {} visits, and only a single launch has visits",
                         timing.launches.size(), timing.visits.size());
  }
  if (std::string fault = fault_of_indices(timing.throttled, count); !fault.empty()) return fault;
  if (!timing.own_speed.empty() && timing.own_speed.size() != count)
    return fmt::format("has {} samples and {} of own_speed", count, timing.own_speed.size());
  for (const double share : timing.own_speed) {  // NaN: unknown
    if (share < 0 || share > 1)
      return fmt::format("has an own_speed of {}, which must be from 0 to 1", share);
  }
  return "";
}

std::string fault_of_median(const Timing& timing) {
  if (!is_possible(timing.median))
    return fmt::format("has a median of {} s, and a clock gives {:g} to {:g} s", timing.median,
                       shortest_seconds, longest_seconds);
  if (timing.ci_low.has_value() != timing.ci_high.has_value())
    return fmt::format("has a ci_low of {} and a ci_high of {}",
                       timing.ci_low ? fmt::format("{}", *timing.ci_low) : "null",
                       timing.ci_high ? fmt::format("{}", *timing.ci_high) : "null");
  std::vector<double> counted;
  for (const std::size_t i : counted_indices(timing)) counted.push_back(timing.samples[i]);
  if (!counted.empty()) {
    const auto [least, most] = std::ranges::minmax(counted);
    const double computed = median(std::move(counted));
    if (!agree(timing.median, computed))
      return fmt::format("has a median of {} s, and samples whose median is {} s", timing.median, computed);
    if (timing.ci_low && !(is_at_least(*timing.ci_low, least) && is_at_least(most, *timing.ci_high)))
      return fmt::format("has an interval from {} to {} s, and samples from {} to {} s", *timing.ci_low,
                         *timing.ci_high, least, most);
  }
  if (timing.ci_low &&
      !(is_at_least(timing.median, *timing.ci_low) && is_at_least(*timing.ci_high, timing.median)))
    return fmt::format("has an interval from {} to {} s that does not contain its median of {} s",
                       *timing.ci_low, *timing.ci_high, timing.median);
  return "";
}

std::string fault_of(const Timing& timing) {
  if (timing.iterations < 0) return fmt::format("has {} iterations in a sample", timing.iterations);
  std::string fault = fault_of_samples(timing);
  return fault.empty() ? fault_of_median(timing) : fault;
}

/// The amounts that programs report beside their times.
std::string fault_of_amounts(const CaseResult& result) {
  for (const auto& [what, amount] :
       {std::pair("cpu_seconds", result.cpu_seconds), std::pair("device_seconds", result.device_seconds),
        std::pair("communication_seconds", result.communication_seconds),
        std::pair("joules", result.joules)}) {
    if (amount && !is_amount(*amount))
      return fmt::format("has {} of {}, which must be at least 0", what, *amount);
  }
  return "";
}

std::string fault_of(const Verification& verification) {
  const std::int64_t least = std::min({verification.elements, verification.projections, verification.losses});
  if (least < 0) return fmt::format("has {} verified values", least);
  if (!verification.correct) return "";
  if (!(verification.error <= verification.tolerance))
    return fmt::format("has the error {} and the tolerance {}, and is called correct", verification.error,
                       verification.tolerance);
  if (verification.elements + verification.losses == 0) return "has 0 verified values, and is called correct";
  return "";
}

/// The kind of the result, and what is known of such.
std::string fault_of_status(const CaseResult& result, const Workload* workload) {
  if (result.verification && result.verification->correct && result.status == Status::wrong)
    return "has the status wrong, and a verification that is correct";
  if (result.status != Status::ok) return "";
  if (!result.reason.empty())
    return fmt::format("has the status ok, and a reason why it is not: {}", result.reason);
  if (!result.seconds && !result.fit) return "has the status ok, and no seconds";
  if (result.verification && !result.verification->correct)
    return "has the status ok, and a verification that is not correct";
  // Google Benchmark's programs verify nothing, and may give aggregates only.
  if (workload == nullptr) return "";
  if (workload->is_timed() != result.seconds.has_value())
    return fmt::format("has the status ok, and {}",
                       result.seconds ? "seconds, which it cannot have" : "no seconds");
  if (!workload->is_timed()) return "";
  if (result.seconds->samples.empty()) return "has the status ok, and no samples";
  if (result.seconds->iterations == 0) return "has the status ok, and 0 iterations in a sample";
  if (!result.verification) return "has the status ok, and no verification";
  return "";
}

bool knows_all(const Workload& workload, const Parameters& given) {
  return std::ranges::all_of(given.entries(), [&](const auto& entry) {
    return std::ranges::find(workload.parameters(), entry.first, &Parameter::name) !=
           workload.parameters().end();
  });
}

/// The case of these parameters; empty if this program cannot compute it, because a newer one allows more.
std::optional<Case> case_of(const Workload& workload, const Parameters& given) {
  try {
    return make_case(workload, given);
  } catch (const InvalidCase&) {
    return std::nullopt;
  }
}

std::string fault_of_parameters(const CaseResult& result, const Workload* workload) {
  const Value* dtype = result.parameters.find("dtype");
  if (dtype != nullptr && to_string(*dtype) != result.dtype)
    return fmt::format("has the dtype {}, and {} among its parameters", result.dtype, to_string(*dtype));
  if (workload == nullptr || !knows_all(*workload, result.parameters)) return "";
  if (dtype == nullptr) return fmt::format("has the dtype {}, and none among its parameters", result.dtype);
  const std::optional<Case> known = case_of(*workload, result.parameters);
  const std::string id =
      known ? known->id() : Case{.workload = workload, .parameters = result.parameters}.id();
  if (result.id != id) return fmt::format("has the id '{}', and the parameters of '{}'", result.id, id);
  if (!known) return "";
  for (const auto& [what, given, computed] :
       {std::tuple("FLOPs", result.flop, known->flop()), std::tuple("bytes", result.bytes, known->bytes())}) {
    if (!std::isnan(given) && !agree(given, computed))
      return fmt::format("has {} {}, and its parameters give {}", given, what, computed);
  }
  if (result.samples != 0 && result.samples != known->samples())
    return fmt::format("has {} samples per iteration, and its parameters give {}", result.samples,
                       known->samples());
  return "";
}

std::string fault_of(const Latency& latency) {
  if (latency.p50 >= 0 && latency.p50 <= latency.p99 && std::isfinite(latency.p99) && latency.count >= 1)
    return "";
  return fmt::format("has a latency of {} s (p50) and {} s (p99) over {} iterations", latency.p50,
                     latency.p99, latency.count);
}

std::string fault_of(const Training& training) {
  const auto entries = static_cast<std::int64_t>(training.loss.size());
  if (training.loss_stride < 1 || training.steps < 0)
    return fmt::format("has {} steps of training, {} for each loss", training.steps, training.loss_stride);
  // The last entry may be the mean of fewer steps.
  if (training.steps / training.loss_stride + (training.steps % training.loss_stride > 0 ? 1 : 0) != entries)
    return fmt::format("has {} losses of {} steps each, and {} steps", entries, training.loss_stride,
                       training.steps);
  if (training.epoch_seconds.size() != training.epoch_accuracy.size())
    return fmt::format("has {} times of epochs and {} accuracies", training.epoch_seconds.size(),
                       training.epoch_accuracy.size());
  for (const double accuracy : training.epoch_accuracy) {
    if (!(accuracy >= 0 && accuracy <= 1))
      return fmt::format("has an accuracy of {}, which must be from 0 to 1", accuracy);
  }
  const auto impossible = std::ranges::find_if_not(training.epoch_seconds, is_possible);
  if (impossible != training.epoch_seconds.end()) return fmt::format("has an epoch of {} s", *impossible);
  if (training.accuracy.has_value() == training.epoch_accuracy.empty() ||
      (training.accuracy && !agree(*training.accuracy, training.epoch_accuracy.back())))
    return fmt::format(
        "has {}, and {} after its last epoch",
        training.accuracy ? fmt::format("an accuracy of {}", *training.accuracy) : "no accuracy",
        training.epoch_accuracy.empty() ? "none" : fmt::format("{}", training.epoch_accuracy.back()));
  if (!training.seconds_to_accuracy) return "";
  double sum = 0;
  for (const double seconds : training.epoch_seconds) {
    sum += seconds;
    if (agree(*training.seconds_to_accuracy, sum)) return "";
  }
  return fmt::format("has {} s to its accuracy, which is the end of no epoch; the last ends after {} s",
                     *training.seconds_to_accuracy, sum);
}

std::string fault_of_optional(const auto& part) {
  return part ? fault_of(*part) : "";
}

}  // namespace

std::string fault_of_sample(double seconds) {
  if (is_possible(seconds)) return "";
  return fmt::format("has a sample of {} s, and a clock gives {:g} to {:g} s", seconds, shortest_seconds,
                     longest_seconds);
}

std::string fault_of(const Fit& fit) {
  if (fit.largest >= 0 && (fit.refused == 0 || fit.refused > fit.largest)) return "";
  return fmt::format("has {} as the largest size that fits, and {} refused", fit.largest, fit.refused);
}

std::string fault_of(const CaseResult& result) {
  const Workload* workload = find_workload(result.op);
  return first_of({fault_of_status(result, workload), fault_of_parameters(result, workload),
                   fault_of_optional(result.seconds), fault_of_amounts(result),
                   fault_of_optional(result.verification), fault_of_optional(result.latency),
                   fault_of_optional(result.training), fault_of_optional(result.fit)});
}

std::string fault_of_rate(std::string_view what, double given, const std::optional<double>& computed) {
  if (!computed) return fmt::format("has {} {}, and no time and work that give any", given, what);
  if (agree(given, *computed)) return "";
  return fmt::format("has {} {}, and its time and work give {}", given, what, *computed);
}

std::string fault_of(const Host& host) {
  for (const auto& [what, count] : {std::pair<const char*, std::int64_t>("cpus", host.cpus),
                                    {"cores", host.cores},
                                    {"threads", host.threads},
                                    {"memory_bytes", host.memory_bytes}}) {
    if (count < 0) return fmt::format("has {} {}", count, what);
  }
  if (host.cpus > 0 && host.cores > host.cpus)
    return fmt::format("has {} cores and {} CPUs", host.cores, host.cpus);
  if (host.cpus > 0 && host.threads > host.cpus)
    return fmt::format("has {} threads and {} CPUs", host.threads, host.cpus);
  if (host.cpu_quota && !(*host.cpu_quota > 0)) return fmt::format("has a cpu_quota of {}", *host.cpu_quota);
  return "";
}

std::string fault_of_date(const std::string& created) {
  // No clock of Linux can be set to an earlier or a later year: kernel/time/timekeeping.c,
  // TIME_SETTOD_SEC_MAX. One that is wrong may show any other.
  constexpr int first_year = 1970, last_year = 2232;
  std::tm time{};
  std::istringstream in(created);
  in >> std::get_time(&time, "%Y-%m-%dT%H:%M:%SZ");
  const int year = time.tm_year + 1900;
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(time.tm_mon + 1)),
                                         std::chrono::day(static_cast<unsigned>(time.tm_mday))};
  if (!in || !date.ok() ||
      created != fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", year, time.tm_mon + 1, time.tm_mday,
                             time.tm_hour, time.tm_min, time.tm_sec))
    return fmt::format("is '{}', and a time is as 2026-11-28T16:43:00Z", created);
  if (year < first_year || year > last_year)
    return fmt::format("is '{}', and clocks can be set to the years {} to {}", created, first_year,
                       last_year);
  return "";
}

std::string fault_of(const std::vector<BackendRecord>& backends) {
  std::set<std::string_view> names;
  for (const BackendRecord& backend : backends) {
    if (!names.insert(backend.name).second) return fmt::format("has the backend '{}' twice", backend.name);
  }
  return "";
}

std::string fault_of(const CaseResult& result, const std::vector<BackendRecord>& backends) {
  const auto backend = std::ranges::find(backends, result.backend, &BackendRecord::name);
  if (backend == backends.end()) return "";
  if (!result.device.empty() && !backend->device.empty() && result.device != backend->device)
    return fmt::format("has the device '{}', and its backend '{}'", result.device, backend->device);
  if (result.status == Status::ok && !backend->available)
    return fmt::format("has the status ok, and its backend was not available: {}", backend->reason);
  return "";
}

}  // namespace breakeven
