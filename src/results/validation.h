// Finds what contradicts itself in a result, or cannot be. Pure functions, each of one part of a file, so
// that a file can be checked while it is read. Each returns what a message says after the place, with both
// values; empty if nothing is wrong.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "results/result.h"

namespace breakeven {

class Workload;

/// The rules hold for what every version has written. Values that are computed from others may differ from
/// them by 1e-6, because another program may have rounded them.
std::string fault_of(const CaseResult& result);

/// The id names the operation and the parameters, and the type of the numbers is among these.
std::string fault_of_id(const CaseOnBackend& c);

/// True if cases of this workload have steps with losses, and epochs.
bool trains(const Workload& workload);

/// The amounts that programs report beside their times.
inline constexpr std::array<std::pair<std::string_view, std::optional<double> CaseResult::*>, 4>
    reported_amounts{{{"cpu_seconds", &CaseResult::cpu_seconds},
                      {"device_seconds", &CaseResult::device_seconds},
                      {"communication_seconds", &CaseResult::communication_seconds},
                      {"joules", &CaseResult::joules}}};
/// One of them, of a case on a host with `cpus` CPUs; 0: not known.
std::string fault_of_amount(std::string_view name, double amount, const CaseResult& result, int cpus);
/// All of them, and the latency.
std::string fault_of_amounts(const CaseResult& result, int cpus);

/// Of the seconds of a sample.
std::string fault_of_sample(double seconds);

/// Compares a rate in the file, in units of 1e9 per second, with CaseResult::gflops() or gbps().
std::string fault_of_rate(std::string_view what, double given, const std::optional<double>& computed);

std::string fault_of(const Gpu& gpu);
std::string fault_of(const Host& host);
/// `created` is the start of a run.
std::string fault_of_date(const std::string& created);

/// No two backends have the same name, and their GPUs are those of the host.
std::string fault_of(const std::vector<BackendRecord>& backends, const Host& host);
/// A case agrees with the rest of its file.
std::string fault_of(const CaseResult& result, const Result& of);

}  // namespace breakeven
