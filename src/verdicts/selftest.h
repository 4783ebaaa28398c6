// What a gate can tell on a host: how often it is wrong, what it finds, and what it cannot see. Pure
// functions.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "statistics/summary.h"
#include "verdicts/sequential.h"
#include "verdicts/verdict.h"

namespace breakeven {

/// Of gates whose head did so much more work than their base.
struct InjectedCounts {
  double share = 0;         // 0.05: 5 %; 0: nothing was changed
  std::size_t suites = 0;   // whole gates
  std::size_t failing = 0;  // of them: a case was called slower
  std::size_t cases = 0;    // of all suites
  std::size_t slower = 0, faster = 0, same = 0, inconclusive = 0, incomparable = 0;  // of the cases

  void add(const Verdicts& verdicts);
};

/// How much launches of one case vary.
struct CaseNoise {
  std::string id, backend;
  std::size_t launches = 0;
  double deviation = 0;        // of log(head / base) between launches
  double smallest_change = 0;  // that is found 19 times in 20
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

/// The change that a case whose launches vary so much is found slower by, in 19 of 20 gates: as large as the
/// threshold or larger, and far enough from 0 for the last of the looks.
double smallest_change(double deviation, const GateRules& rules);

/// From gates without a change. Cases with fewer than three launches are left out.
std::vector<CaseNoise> noise_of(const std::vector<Verdicts>& gates, const GateRules& rules);

/// Why a gate of `rules` asks for more than this host can tell; empty where it does not. `noise` and `counts`
/// are the host's.
std::vector<std::string> selftest_warnings(const Selftest& selftest, const Host& here,
                                           const GateRules& rules);

/// JSON, schema breakeven.selftest/1, described in docs/regression-checks.md.
std::string to_json_text(const Selftest& selftest);
/// Throws ResultError, which names the file, the place and the remedy.
Selftest read_selftest(const std::filesystem::path& path);

}  // namespace breakeven
