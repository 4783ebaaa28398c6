// The accuracy of a gate on a host: how often it is wrong, which changes it finds and which it misses. Pure
// functions.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "statistics/summary.h"
#include "verdicts/sequential.h"
#include "verdicts/verdict.h"

namespace breakeven {

/// Counts over the gates in which the head did the same additional work.
struct InjectedCounts {
  double share = 0;         // additional work of the head: 0.05 is 5 %; 0: none
  std::size_t suites = 0;   // number of gates
  std::size_t failing = 0;  // gates in which a case was called slower
  std::size_t cases = 0;    // over all gates
  std::size_t slower = 0, faster = 0, same = 0, inconclusive = 0, incomparable = 0;  // number of these cases

  void add(const Verdicts& verdicts);
};

/// The variation between launches of one case.
struct CaseNoise {
  std::string id, backend;
  std::size_t launches = 0;
  double deviation = 0;        // standard deviation of log(head / base) between launches
  double bound = 0;            // the most by which neighbours may have changed it in the median launch
  double smallest_change = 0;  // found 19 times in 20, as a fraction
};

struct Selftest {
  std::string created;  // UTC, ISO 8601
  std::string tool_version;
  Host host;
  GateRules rules;
  double wall_seconds = 0;
  std::vector<InjectedCounts> counts;  // by share, rising
  std::vector<CaseNoise> noise;
};

/// The smallest slowdown, as a fraction, that is found in 19 of 20 gates if launches vary by `deviation` and
/// neighbours may have changed their logarithms by `bound`: more than that by at least the threshold, and far
/// enough from 0 for the last look.
double smallest_change(double deviation, double bound, const GateRules& rules);

/// The noise of each case, from gates without a change. Cases with fewer than three launches are left out.
std::vector<CaseNoise> noise_of(const std::vector<Verdicts>& gates, const GateRules& rules);

/// Warnings that a gate with `rules` needs more than the selftest found possible, or that the selftest is
/// from another host than `here`. Empty if there are none.
std::vector<Note> selftest_warnings(const Selftest& selftest, const Host& here, const GateRules& rules);

/// Writes JSON, schema breakeven.selftest/1, described in docs/result-file.md.
std::string to_json_text(const Selftest& selftest);
/// Reads a selftest file. Throws ResultError, which names the file, the place and the remedy.
Selftest read_selftest(const std::filesystem::path& path);

}  // namespace breakeven
