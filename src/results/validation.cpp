#include "results/validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <initializer_list>
#include <iomanip>
#include <numeric>
#include <set>
#include <span>
#include <sstream>
#include <utility>

#include "protocol/possible_seconds.h"
#include "results/counted_samples.h"
#include "results/google_benchmark.h"
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

/// The interval of a median reaches over the middle samples, however it was computed: at least a third of a
/// standard deviation of their number to either side (binomial, n / 4).
std::string fault_of_interval(const Timing& timing, std::vector<double> counted) {
  if (counted.size() < fewest_for_an_interval) return "";
  if (!timing.ci_low)
    return fmt::format("has no interval, and {} samples; {} are enough", counted.size(),
                       fewest_for_an_interval);
  const auto n = static_cast<double>(counted.size());
  const auto middle = static_cast<std::ptrdiff_t>(std::ceil((n - std::sqrt(n) / 3) / 2)) - 1;
  const auto low = counted.begin() + middle;
  const auto high = counted.end() - 1 - middle;
  std::ranges::nth_element(counted, low);
  const double least = *low;
  std::ranges::nth_element(counted, high);
  if (is_at_least(least, *timing.ci_low) && is_at_least(*timing.ci_high, *high)) return "";
  return fmt::format("has an interval from {} to {} s, and its middle samples are from {} to {} s",
                     *timing.ci_low, *timing.ci_high, least, *high);
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
    const double computed = median(counted);
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
  return fault_of_interval(timing, std::move(counted));
}

std::string fault_of(const Timing& timing) {
  if (timing.iterations < 0) return fmt::format("has {} iterations in a sample", timing.iterations);
  if (const double sample = static_cast<double>(timing.iterations) * timing.median;
      timing.iterations > 1 && sample > longest_seconds)
    return fmt::format("has {} iterations of {} s in a sample, and a clock gives up to {:g} s",
                       timing.iterations, timing.median, longest_seconds);
  std::string fault = fault_of_samples(timing);
  return fault.empty() ? fault_of_median(timing) : fault;
}

bool is_percentage(double value) {
  constexpr double rounding_of_counters = 1;
  return value >= -rounding_of_counters && value <= 100 + rounding_of_counters;
}

std::string fault_of(const DeviceConditions& device) {
  for (const auto& [what, usual, least] :
       {std::tuple("sm_mhz", device.sm_mhz, device.sm_mhz_least),
        std::tuple("memory_mhz", device.memory_mhz, device.memory_mhz_least)}) {
    for (const auto& value : {usual, least}) {
      if (value && !is_amount(*value)) return fmt::format("has {} of {}", what, *value);
    }
    if (usual && least && *least > *usual)
      return fmt::format("has {0} of {1}, and {0}_least of {2}", what, *usual, *least);
  }
  if (device.watts && !is_amount(*device.watts)) return fmt::format("has watts of {}", *device.watts);
  return "";
}

std::string fault_of(const Conditions& conditions) {
  for (const auto& [what, percent] : {std::pair("steal_percent", conditions.steal_percent),
                                      std::pair("other_cpu_percent", conditions.other_cpu_percent)}) {
    if (percent && !is_percentage(*percent))
      return fmt::format("has {} of {}, which must be from 0 to 100", what, *percent);
  }
  for (const auto& [what, amount] : {std::pair("cpu_mhz", conditions.cpu_mhz),
                                     std::pair("throttled_seconds", conditions.throttled_seconds),
                                     std::pair("thermal_throttles", conditions.thermal_throttles)}) {
    if (amount && !is_amount(*amount))
      return fmt::format("has {} of {}, which must be at least 0", what, *amount);
  }
  for (const int cpu : conditions.cpus) {
    if (cpu < 0) return fmt::format("has the CPU {}, and numbers begin with 0", cpu);
  }
  for (const RankPlace& rank : conditions.ranks) {
    if (rank.threads < 1) return fmt::format("has a rank with {} threads", rank.threads);
  }
  return conditions.device ? fault_of(*conditions.device) : "";
}

std::string fault_of_ranks(const CaseResult& result) {
  const Value* ranks = result.parameters.find("ranks");
  const auto* count = ranks != nullptr ? std::get_if<std::int64_t>(ranks) : nullptr;
  if (count == nullptr || result.conditions.ranks.empty() || std::ssize(result.conditions.ranks) == *count)
    return "";
  return fmt::format("has {} ranks among its parameters, and the places of {}", *count,
                     result.conditions.ranks.size());
}

std::string fault_of(const ChosenThreads& threads) {
  if (0 < threads.chosen && threads.chosen < threads.of) return "";
  return fmt::format("has {} of {} threads chosen", threads.chosen, threads.of);
}

std::string fault_of(const Verification& verification) {
  const std::int64_t least = std::min({verification.elements, verification.projections, verification.losses});
  if (least < 0) return fmt::format("has {} verified values", least);
  if (verification.error < 0)
    return fmt::format("has the error {}, which must be at least 0", verification.error);
  constexpr double most_tolerance = 1e6;  // of the losses of training with the largest learning rates
  if (verification.tolerance < 0 || verification.tolerance > most_tolerance)
    return fmt::format("has the tolerance {}, which must be from 0 to {:g}", verification.tolerance,
                       most_tolerance);
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
  if (result.op == google_benchmark_op) return "";
  if (workload == nullptr)
    return !result.seconds || result.verification ? "" : "has the status ok, and no verification";
  if (workload->is_timed() != result.seconds.has_value())
    return fmt::format("has the status ok, and {}",
                       result.seconds ? "seconds, which it cannot have" : "no seconds");
  if (!workload->is_timed()) return "";
  if (result.seconds->samples.empty()) return "has the status ok, and no samples";
  if (result.seconds->iterations == 0) return "has the status ok, and 0 iterations in a sample";
  if (!result.verification) return "has the status ok, and no verification";
  return "";
}

/// The case of these parameters; empty if this program cannot compute it, because a newer one allows more.
std::optional<Case> case_of(const Workload* workload, const Parameters& given) {
  if (workload == nullptr) return std::nullopt;
  try {
    return make_case(*workload, given);
  } catch (const InvalidCase&) {
    return std::nullopt;
  }
}

bool knows_all(const Workload& workload, const Parameters& given) {
  return std::ranges::all_of(given.entries(), [&](const auto& entry) {
    return std::ranges::find(workload.parameters(), entry.first, &Parameter::name) !=
           workload.parameters().end();
  });
}

/// An integer below both 0 and what its parameter allows. Newer programs may allow other values.
std::string fault_of_negative(const Workload& workload, const Parameters& given) {
  for (const Parameter& parameter : workload.parameters()) {
    const Value* value = given.find(parameter.name);
    const auto* integer = value != nullptr ? std::get_if<std::int64_t>(value) : nullptr;
    if (integer != nullptr && *integer < 0 && parameter.minimum >= 0)
      return fmt::format("has {} = {}, which must be at least {:g}", parameter.name, *integer,
                         parameter.minimum);
  }
  return "";
}

/// True if the id names the parameter: "/m=64" or, of a flag, "/cold".
bool names(std::string_view id, std::string_view parameter) {
  return fmt::format("{}/", id).find(fmt::format("/{}/", parameter)) != std::string::npos ||
         id.find(fmt::format("/{}=", parameter)) != std::string::npos;
}

/// The id of a case of a newer program, some of whose parameters are unknown here.
std::string fault_of_newer_id(const CaseOnBackend& c, const Workload& workload) {
  for (const Parameter& parameter : workload.parameters()) {
    const Value* value = c.parameters.find(parameter.name);
    if (value == nullptr || parameter.name == "dtype") continue;
    const bool is_told = parameter.default_value != *value;
    const bool is_flag = is_told && *value == Value(true);
    const std::string part =
        is_flag ? parameter.name : fmt::format("{}={}", parameter.name, to_string(*value));
    const bool is_there = is_told
                              ? fmt::format("{}/", c.id).find(fmt::format("/{}/", part)) != std::string::npos
                              : !names(c.id, parameter.name);
    if (!is_there) return fmt::format("has the id '{}', and the parameter {}", c.id, part);
  }
  return "";
}

/// An operation that this program does not know has an id that begins with no other.
std::string fault_of_foreign_id(const CaseOnBackend& c) {
  const std::string begins = c.id.substr(0, c.id.find('/'));
  // A benchmark has the user's own name, and no parameters.
  const bool is_own_name = c.op == google_benchmark_op && c.parameters.entries().empty();
  if (is_own_name || begins == c.id || find_workload(begins) == nullptr) return "";
  return fmt::format("has the id '{}', and the operation {}", c.id, c.op);
}

/// The work of a case that this program could compute, as the parameters give it.
std::string fault_of_work(const CaseResult& result, const Case& known) {
  for (const auto& [what, given, computed] :
       {std::tuple("FLOPs", result.flop, known.flop()), std::tuple("bytes", result.bytes, known.bytes())}) {
    if (!std::isnan(given) && !agree(given, computed))
      return fmt::format("has {} {}, and its parameters give {}", given, what, computed);
  }
  if (result.samples != 0 && result.samples != known.samples())
    return fmt::format("has {} samples per iteration, and its parameters give {}", result.samples,
                       known.samples());
  return "";
}

/// `known` is the case of the parameters, if this program can compute it.
std::string fault_of_id(const CaseOnBackend& c, const Workload* workload, const std::optional<Case>& known) {
  const Value* dtype = c.parameters.find("dtype");
  if (dtype != nullptr && to_string(*dtype) != c.dtype)
    return fmt::format("has the dtype {}, and {} among its parameters", c.dtype, to_string(*dtype));
  if (workload == nullptr) return fault_of_foreign_id(c);
  if (std::string fault = fault_of_negative(*workload, c.parameters); !fault.empty()) return fault;
  if (!knows_all(*workload, c.parameters)) return fault_of_newer_id(c, *workload);
  if (dtype == nullptr) return fmt::format("has the dtype {}, and none among its parameters", c.dtype);
  const std::string id = known ? known->id() : Case{.workload = workload, .parameters = c.parameters}.id();
  return c.id == id ? "" : fmt::format("has the id '{}', and the parameters of '{}'", c.id, id);
}

std::string fault_of(const Latency& latency) {
  if (is_possible(latency.p50) && latency.p50 <= latency.p99 && is_possible(latency.p99) &&
      latency.count >= 1)
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

/// The end of the first epoch that reached the target accuracy.
std::string fault_of_target(const CaseResult& result) {
  const Value* value = result.parameters.find("target_accuracy");
  const auto* target = value != nullptr ? std::get_if<double>(value) : nullptr;
  if (target == nullptr || *target <= 0 || !result.training) return "";
  const Training& training = *result.training;
  const auto reached =
      std::ranges::find_if(training.epoch_accuracy, [&](double accuracy) { return accuracy >= *target; });
  const bool is_reached = reached != training.epoch_accuracy.end();
  if (is_reached != training.seconds_to_accuracy.has_value())
    return fmt::format(
        "has {} to its accuracy, and {} reached its target of {}",
        training.seconds_to_accuracy ? fmt::format("{} s", *training.seconds_to_accuracy) : "no seconds",
        is_reached ? "an epoch" : "none", *target);
  if (!is_reached) return "";
  const auto count = reached - training.epoch_accuracy.begin() + 1;
  const double seconds =
      std::accumulate(training.epoch_seconds.begin(), training.epoch_seconds.begin() + count, 0.0);
  if (agree(*training.seconds_to_accuracy, seconds)) return "";
  return fmt::format("has {} s to its accuracy, and reached its target of {} after {} s",
                     *training.seconds_to_accuracy, *target, seconds);
}

/// Parts that only some operations have.
std::string fault_of_kind(const CaseResult& result, const Workload* workload) {
  if (workload == nullptr) return "";
  for (const auto& [what, is_there, can_be] :
       {std::tuple("training", result.training.has_value(), trains(*workload)),
        std::tuple("latency", result.latency.has_value(), workload->measures_latency()),
        std::tuple("fit", result.fit.has_value(), !workload->is_timed())}) {
    if (is_there && !can_be) return fmt::format("has a {}, which {} does not have", what, result.op);
  }
  return "";
}

std::string fault_of_optional(const auto& part) {
  return part ? fault_of(*part) : "";
}

}  // namespace

bool trains(const Workload& workload) {
  return std::ranges::find(workload.parameters(), "epochs", &Parameter::name) != workload.parameters().end();
}

std::string fault_of_sample(double seconds) {
  if (is_possible(seconds)) return "";
  return fmt::format("has a sample of {} s, and a clock gives {:g} to {:g} s", seconds, shortest_seconds,
                     longest_seconds);
}

std::string fault_of(const Fit& fit) {
  if (fit.largest >= 0 && (fit.refused == 0 || fit.refused > fit.largest)) return "";
  return fmt::format("has {} as the largest size that fits, and {} refused", fit.largest, fit.refused);
}

std::string fault_of_id(const CaseOnBackend& c) {
  const Workload* workload = find_workload(c.op);
  if (workload == nullptr) return fault_of_foreign_id(c);
  if (const std::string wrong = type_error(workload->parameters(), c.parameters); !wrong.empty())
    return fmt::format("has parameters that are not of {}: {}", c.op, wrong);
  CaseOnBackend complete = c;
  complete.parameters = with_added(workload->parameters(), c.parameters);
  return fault_of_id(complete, workload, case_of(workload, complete.parameters));
}

std::string fault_of(const CaseResult& result) {
  const Workload* workload = find_workload(result.op);
  const std::optional<Case> known = case_of(workload, result.parameters);
  return first_of({fault_of_status(result, workload), fault_of_id(result, workload, known),
                   known ? fault_of_work(result, *known) : "", fault_of_optional(result.seconds),
                   fault_of_amounts(result, 0), fault_of_optional(result.verification),
                   fault_of_optional(result.latency), fault_of_optional(result.training),
                   fault_of_target(result), fault_of_optional(result.fit), fault_of(result.conditions),
                   fault_of_ranks(result), fault_of_optional(result.threads),
                   fault_of_kind(result, workload)});
}

std::string fault_of_amount(std::string_view name, double amount, const CaseResult& result, int cpus) {
  if (!is_amount(amount)) return fmt::format("has {} of {}, which must be at least 0", name, amount);
  if (!result.seconds) return "";
  const double time = result.seconds->median;
  bool is_possible = true;
  if (name == "joules") {
    constexpr double least_watts = 1e-6;  // far less than any processor takes
    is_possible = amount >= least_watts * time;
  } else if (name == "cpu_seconds") {
    constexpr double coarse = 2;  // clocks of CPU time count whole ticks
    const auto processes = static_cast<double>(std::max<std::size_t>(1, result.conditions.ranks.size()));
    is_possible = cpus == 0 || amount <= coarse * processes * cpus * time;
  } else {
    constexpr double noise = 300;  // a part of the time that was not measured in the same samples
    is_possible = amount <= noise * time;
  }
  return is_possible ? "" : fmt::format("has {} of {} in an iteration of {} s", name, amount, time);
}

std::string fault_of_amounts(const CaseResult& result, int cpus) {
  for (const auto& [name, amount] : reported_amounts) {
    if (!(result.*amount)) continue;
    if (std::string fault = fault_of_amount(name, *(result.*amount), result, cpus); !fault.empty())
      return fault;
  }
  return result.latency ? fault_of_amount("latency", result.latency->p50, result, cpus) : "";
}

std::string fault_of_rate(std::string_view what, double given, const std::optional<double>& computed) {
  if (!computed) return fmt::format("has {} {}, and no time and work that give any", given, what);
  if (agree(given, *computed)) return "";
  return fmt::format("has {} {}, and its time and work give {}", given, what, *computed);
}

std::string fault_of(const Gpu& gpu) {
  if (gpu.memory_bytes && *gpu.memory_bytes < 0)
    return fmt::format("has memory_bytes of {}", *gpu.memory_bytes);
  for (const auto& [what, amount] :
       {std::pair("power_limit_watts", gpu.power_limit_watts),
        std::pair("power_limit_default_watts", gpu.power_limit_default_watts),
        std::pair("sm_mhz_most", gpu.sm_mhz_most), std::pair("memory_mhz_most", gpu.memory_mhz_most)}) {
    if (amount && !is_amount(*amount)) return fmt::format("has {} of {}", what, *amount);
  }
  return "";
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
  std::set<std::string_view> ids;
  for (const Gpu& gpu : host.gpus) {
    if (!ids.insert(gpu.id).second) return fmt::format("has the GPU '{}' twice", gpu.id);
    if (std::string fault = fault_of(gpu); !fault.empty())
      return fmt::format("has the GPU '{}', which {}", gpu.id, fault);
  }
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

std::string fault_of(const std::vector<BackendRecord>& backends, const Host& host) {
  std::set<std::string_view> names;
  for (const BackendRecord& backend : backends) {
    if (!names.insert(backend.name).second) return fmt::format("has the backend '{}' twice", backend.name);
    if (!backend.available || backend.device_id.empty()) continue;
    if (std::ranges::find(host.gpus, backend.device_id, &Gpu::id) == host.gpus.end())
      return fmt::format("has the backend '{}' on the GPU '{}', which the host does not have", backend.name,
                         backend.device_id);
  }
  return "";
}

std::string fault_of(const CaseResult& result, const Result& of) {
  const auto backend = std::ranges::find(of.backends, result.backend, &BackendRecord::name);
  if (backend == of.backends.end())
    return result.status == Status::ok ? "has the status ok, and its backend is not in the list of backends"
                                       : "";
  if (!result.device.empty() && !backend->device.empty() && result.device != backend->device)
    return fmt::format("has the device '{}', and its backend '{}'", result.device, backend->device);
  if (result.status == Status::interrupted && of.complete)
    return "has the status interrupted, and the run is complete";
  if (result.status != Status::ok) return "";
  if (!backend->available)
    return fmt::format("has the status ok, and its backend was not available: {}", backend->reason);
  return fault_of_amounts(result, of.host.cpus);
}

}  // namespace breakeven
