// Finds what contradicts itself in a result, or cannot be. Pure functions, each of one part of a file, so
// that a file can be checked while it is read. Each returns what a message says after the place, with both
// values; empty if nothing is wrong.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "results/result.h"

namespace breakeven {

/// The rules hold for what every version has written. Values that are computed from others may differ from
/// them by 1e-6, because another program may have rounded them.
std::string fault_of(const CaseResult& result);

/// Of the seconds of a sample.
std::string fault_of_sample(double seconds);

/// Compares a rate in the file, in units of 1e9 per second, with CaseResult::gflops() or gbps().
std::string fault_of_rate(std::string_view what, double given, const std::optional<double>& computed);

std::string fault_of(const Host& host);
/// `created` is the start of a run.
std::string fault_of_date(const std::string& created);

/// No two backends have the same name.
std::string fault_of(const std::vector<BackendRecord>& backends);
/// A case agrees with the record of its backend, if the file has that.
std::string fault_of(const CaseResult& result, const std::vector<BackendRecord>& backends);

}  // namespace breakeven
