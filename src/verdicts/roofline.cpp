#include "verdicts/roofline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "host/own_speed.h"
#include "protocol/messages.h"
#include "results/counted_samples.h"
#include "verdicts/measured_cases.h"
#include "verdicts/verdict.h"
#include "workloads/ranks.h"
#include "workloads/rotation.h"
#include "workloads/transfer.h"
#include "workloads/workload.h"

namespace breakeven {
namespace {

/// The median time of an iteration, or that by the device's own clock, which excludes launches.
double usual_seconds(const CaseResult& result) {
  return std::min(result.seconds->median, result.device_seconds.value_or(result.seconds->median));
}

/// The rate at which `amount` was processed in the shortest sample. A ceiling is a rate that was reached
/// once; it need not be typical.
std::optional<double> best_rate(const CaseResult& result, double amount) {
  const double usual = usual_seconds(result);
  const double seconds = std::min(usual, sample_figures(*result.seconds).shortest.value_or(usual));
  const double rate = amount / seconds;
  return rate > 0 && std::isfinite(rate) ? std::optional(rate) : std::nullopt;
}

/// The arithmetic and memory traffic of a case.
struct Needs {
  double flop = 0, bytes = 0;              // by the definition of the operation
  double least_flop = 0, least_bytes = 0;  // needed by any algorithm
  double working_set = 0;                  // bytes
  double least_working_set = 0;            // bytes; a part of rotating operands may have stayed in the caches
};

/// Empty for another program's benchmark, for cases of other versions with other parameters, and for cases of
/// several ranks: their work is that of all ranks, and the ceilings are those of one device.
std::optional<Needs> needs_of(const CaseResult& result) {
  const Workload* workload = find_workload(result.op);
  if (workload == nullptr || !workload->is_timed() || result.conditions.ranks.size() > 1) return std::nullopt;
  try {
    const Parameters& p = result.parameters;
    if (ranks_of(p) > 1) return std::nullopt;
    const auto runs = static_cast<double>(Transfer::of(p).repetitions);
    const Workload::Least least = workload->least(p);
    const double held = workload->memory(p);
    return Needs{.flop = result.flop,
                 .bytes = result.bytes,
                 .least_flop = runs * least.flop,
                 .least_bytes = runs * least.bytes,
                 .working_set = rotates(p) ? std::numeric_limits<double>::infinity() : held,
                 .least_working_set = held};
  } catch (const std::logic_error&) {  // a parameter is missing, or its value unknown
    return std::nullopt;
  }
}

/// True if other programs slowed a CPU down in the shortest sample, so that it may be faster than that.
bool was_disturbed(const CaseResult& result) {
  if (!result.seconds || result.device == "gpu") return false;
  return sample_figures(*result.seconds).own_speed_of_shortest.value_or(1) < trusted_speed_share;
}

/// Rates that no device reaches.
struct Bound {
  double flop_per_second = 0, bytes_per_second = 0;
};

/// The width of a dtype in bytes; 8 if it is not known.
double width_of(const std::string& dtype) {
  const auto known = parse_dtype(dtype);
  return known ? static_cast<double>(facts(*known).bytes()) : 8;
}

/// FLOPs per cycle of one CPU: two FMAs of 512 bits are 32 in f64; matrix units (AMX) do 1,024 in 16 bits and
/// 2,048 in 8 bits; Apple's about 450 in f32. Bytes per cycle: three accesses of 64 bytes to the first cache
/// are 192.
Bound bound_of_cpus(const std::string& dtype, double cpus) {
  constexpr double cycles = 7e9, bytes = 512, f64 = 64, f32 = 1024, of_one_byte = 4096;
  const double width = width_of(dtype);
  const double flop = width >= 8 ? f64 : width >= 4 ? f32 : of_one_byte;
  return {.flop_per_second = cpus * cycles * flop, .bytes_per_second = cpus * cycles * bytes};
}

/// NVIDIA's B200: 40 TFLOP/s in f64, 80 in f32, 2,250 in 16 bits, 4,500 in 8 bits without sparsity, 8 TB/s.
/// Its caches are some ten times as fast as its memory.
Bound bound_of_gpu(const std::string& dtype) {
  constexpr double f64 = 1e15, f32 = 1e16, narrower = 1e17, bytes = 1e15;
  const double width = width_of(dtype);
  return {.flop_per_second = width >= 8 ? f64 : width >= 4 ? f32 : narrower, .bytes_per_second = bytes};
}

bool within_memory(const CaseResult& result) {
  if (result.op == "read" || result.op == "triad") return !Transfer::of(result.parameters).moves();
  if (result.op != "copy") return false;
  const Value* direction = result.parameters.find("direction");
  return direction != nullptr && *direction == Value(std::string("within"));
}

/// The ceilings of each device, from the cases for which `counts` is true.
std::vector<Ceilings> ceilings_of(
    const std::vector<MeasuredCase>& cases,
    bool (*counts)(const CaseResult&) = [](const CaseResult&) { return true; }) {
  std::vector<Ceilings> all;
  for (const MeasuredCase& one : cases) {
    all.resize(std::max(all.size(), one.device + 1));
    if (counts(*one.result)) all[one.device].add(*one.result);
  }
  return all;
}

}  // namespace

bool is_ceiling(const CaseResult& result) {
  return result.op == "peak" || within_memory(result);
}

void Ceilings::add(const CaseResult& result) {
  if (!result.has_time()) return;
  if (result.op == "peak") {
    const auto rate = best_rate(result, result.flop);
    if (!rate) return;
    double& best = flop_per_second_[result.dtype];
    best = std::max(best, *rate);
    return;
  }
  if (!within_memory(result)) return;
  const auto needs = needs_of(result);
  const auto bytes_per_second = best_rate(result, result.bytes);
  if (!needs || !bytes_per_second) return;
  const Rate rate{.working_set = needs->working_set,
                  .bytes_per_second = *bytes_per_second,
                  .usual = result.bytes / usual_seconds(result)};
  rates_.insert(std::ranges::upper_bound(rates_, rate.working_set, {}, &Rate::working_set), rate);
}

std::optional<double> Ceilings::flop_per_second(const std::string& dtype) const {
  const auto found = flop_per_second_.find(dtype);
  if (found == flop_per_second_.end()) return std::nullopt;
  return found->second;
}

std::vector<Ceilings::Rate>::const_iterator Ceilings::first_in_memory() const {
  constexpr double part = 1.0 / 8;  // of the largest
  return std::ranges::lower_bound(rates_, part * rates_.back().working_set, {}, &Rate::working_set);
}

std::optional<double> Ceilings::bytes_per_second(double working_set) const {
  if (rates_.empty()) return std::nullopt;
  auto first = std::ranges::upper_bound(rates_, working_set, {}, &Rate::working_set);
  // Start from the largest rate.working_set that is not larger; include all of that size.
  if (first != rates_.begin()) {
    const double fits = std::prev(first)->working_set;
    while (first != rates_.begin() && std::prev(first)->working_set == fits) --first;
  }
  first = std::min(first, first_in_memory());
  return std::ranges::max_element(first, rates_.end(), {}, &Rate::bytes_per_second)->bytes_per_second;
}

std::optional<double> Ceilings::usual_bytes_per_second_of_memory() const {
  if (rates_.empty()) return std::nullopt;
  return std::ranges::max_element(first_in_memory(), rates_.end(), {}, &Rate::usual)->usual;
}

std::vector<Ceilings> ceilings(const Runs& results) {
  return ceilings_of(cases_of(results));
}

std::optional<LeastTime> least_time(const CaseResult& result, const Ceilings& ceilings) {
  const auto needs = needs_of(result);
  if (!needs || (needs->flop == 0 && needs->bytes == 0)) return std::nullopt;
  // A link, not memory, limits copies between host and device.
  if (result.op == "copy" && !within_memory(result)) return std::nullopt;
  const auto arithmetic = ceilings.flop_per_second(result.dtype);
  const auto memory = ceilings.bytes_per_second(needs->working_set);
  if ((needs->flop > 0 && !arithmetic) || (needs->bytes > 0 && !memory)) return std::nullopt;
  const double computing = needs->flop > 0 ? needs->flop / *arithmetic : 0;
  const double moving = needs->bytes > 0 ? needs->bytes / *memory : 0;
  return LeastTime{.seconds = std::max(computing, moving), .arithmetic = computing >= moving};
}

std::optional<Roofline> roofline(const CaseResult& result, const Ceilings& ceilings) {
  if (!result.has_time()) return std::nullopt;
  const auto least = least_time(result, ceilings);
  if (!least) return std::nullopt;
  return Roofline{.share = least->seconds / result.seconds->median, .arithmetic = least->arithmetic};
}

std::string why_implausible(const CaseResult& result, const Ceilings& ceilings) {
  constexpr double noise = 1.05;  // of two measurements made at different times
  if (!result.has_time()) return "";
  const auto needs = needs_of(result);
  if (!needs) return "";
  const double seconds = noise * result.seconds->ci_high.value_or(result.seconds->median);
  const auto text = [&](double amount, double ceiling, const char* unit, const char* measured_by) {
    return fmt::format(
        "at least {:.4g} {} of unavoidable work, and the most that was measured here is {:.4g} (by {}): "
        "either the work was not done, or that is too low: a disturbance, or code that does not suit the "
        "device",
        amount / result.seconds->median * 1e-9, unit, ceiling * 1e-9, measured_by);
  };
  if (const auto most = ceilings.flop_per_second(result.dtype); most && needs->least_flop > *most * seconds)
    return text(needs->least_flop, *most, "GFLOP/s", "peak");
  const bool in_memory = (result.op != "copy" || within_memory(result)) &&
                         needs->least_working_set >= ceilings.least_working_set();
  if (const auto most = ceilings.bytes_per_second(needs->least_working_set);
      in_memory && most && needs->least_bytes > *most * seconds)
    return text(needs->least_bytes, *most, "GB/s", "read, triad and copy");
  return "";
}

std::string why_beyond_any_processor(const CaseResult& result, double seconds, double cpus) {
  const auto needs = needs_of(result);
  if (!needs) return "";
  const Bound bound = result.device == "gpu" ? bound_of_gpu(result.dtype) : bound_of_cpus(result.dtype, cpus);
  const auto text = [&](double amount, double most, const char* unit) {
    return fmt::format(
        "at least {:.4g} {} of unavoidable work, and no {} reaches {:.2g}: the work was not done",
        amount / seconds * 1e-9, unit,
        result.device == "gpu" ? "GPU" : fmt::format("machine with {:g} CPUs", cpus), most * 1e-9);
  };
  if (needs->least_flop > bound.flop_per_second * seconds)
    return text(needs->least_flop, bound.flop_per_second, "GFLOP/s");
  if (needs->least_bytes > bound.bytes_per_second * seconds)
    return text(needs->least_bytes, bound.bytes_per_second, "GB/s");
  return "";
}

void mark_implausible(Result& run) {
  if (std::ranges::none_of(run.cases, is_ceiling)) return;
  const std::vector<MeasuredCase> cases = cases_of({&run});
  const std::vector<Ceilings> all = ceilings_of(cases);
  const std::vector<Ceilings> undisturbed =
      ceilings_of(cases, [](const CaseResult& result) { return !was_disturbed(result); });
  for (std::size_t i = 0; i < cases.size(); ++i) {
    CaseResult& result = run.cases[i];
    if (why_implausible(result, undisturbed[cases[i].device]).empty()) continue;
    // A rate that was reached while the machine was disturbed is possible as well.
    if (std::string why = why_implausible(result, all[cases[i].device]); !why.empty()) {
      result.status = Status::implausible;
      result.reason = std::move(why);
    }
  }
}

void mark_implausible_as_read(Result& run) {
  for (CaseResult& result : run.cases) {
    const BackendRecord* backend = find_backend(run.backends, result.backend);
    const bool has_real_time =
        result.has_time() && (backend == nullptr || !has_simulated_clock(backend->libraries));
    if (!has_real_time || (run.host.cpus == 0 && result.device != "gpu")) continue;
    std::string why = why_beyond_any_processor(result, result.seconds->median, run.host.cpus);
    if (why.empty()) continue;
    result.status = Status::implausible;
    result.reason = std::move(why);
  }
  if (run.tool_build == "Release" && !run.machines_differ) mark_implausible(run);
}

}  // namespace breakeven
