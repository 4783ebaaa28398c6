// Ranks the backends for each problem on one machine: which is the fastest, and by how much.
#pragma once

#include <string>
#include <vector>

#include "reports/document/runs.h"
#include "results/result.h"
#include "verdicts/roofline.h"

namespace breakeven {

enum class Standing {
  none,          // not ok or without a time, so there is nothing to compare
  alone,         // the only one with a time
  fastest,       // has the smallest median
  as_fast,       // the whole interval of its ratio to the fastest is within `equivalence`
  not_distinct,  // the intervals overlap, so it is unknown which is faster
  slower,
};

/// The largest relative difference that does not matter. It equals the default threshold of `gate`.
inline constexpr double equivalence = 0.03;

/// One backend's result for a problem. Points into the results given to compare_backends().
struct Entry {
  const Result* run = nullptr;
  const CaseResult* result = nullptr;
  Standing standing = Standing::none;
  Estimate ratio = {.value = 1};  // its time divided by the fastest's; the interval is set if both have one
  std::optional<Roofline> roofline = {};  // set if the device's ceilings are among the results
};

/// All results with one id on one machine. Those with a time come first, fastest first, then the others in
/// the order of the files.
struct Problem {
  std::string title;
  std::string machine;  // from machine_key()
  std::vector<Entry> entries;
};

struct ProblemGroup {
  std::string op;
  std::vector<Problem> problems;
};

/// Ranks the backends for each problem. Groups and problems are in the order in which they first appear.
/// Times of two machines are never ranked against each other. The results must outlive the groups.
std::vector<ProblemGroup> compare_backends(const Runs& runs);

/// `fastest`, `as fast (within 3 %)`, `not distinguishable (at most 1.2x)`, `1.8x slower (1.7x to 1.9x)`, `5
/// % slower (3 to 8 %)`; with a "~" if intervals are missing; empty for Standing::none.
std::string describe_standing(const Entry& entry);

}  // namespace breakeven
