// Ranks the backends for each problem on one machine: which is the fastest, and by how much. Summarises them
// over many problems.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "reports/document/runs.h"
#include "reports/metrics.h"
#include "statistics/estimate.h"

namespace breakeven {

enum class Standing {
  none,          // not ok or without a time, so there is nothing to compare
  alone,         // the only one with a time
  fastest,       // has the smallest median
  as_fast,       // the whole interval of its ratio to the fastest is within `equivalence`
  not_distinct,  // it is unknown which is faster: the intervals overlap, or one is missing and the ratio is
                 // small
  slower,
};

/// The largest relative difference that does not matter. It equals the default threshold of `gate`.
inline constexpr double equivalence = 0.03;

/// True if it is unknown which of two is faster: the interval of the ratio of their times contains 1 or,
/// without an interval, the ratio is below the 1.2 that noise may reach.
bool may_be_equal(const Estimate& ratio);

/// One backend's result for a problem. Points into the results given to compare_backends().
struct Entry : MeasuredCase {
  Standing standing = Standing::none;
  Estimate ratio = {.value = 1};  // its time divided by the fastest's; the interval is set if both have one
};

/// All results with one id on one machine. Those with a time come first, fastest first, then the others in
/// the order of the files.
struct Problem {
  std::string title;
  std::string machine;  // from machine_key()
  std::vector<Entry> entries = {};
};

struct ProblemGroup {
  std::string op;
  std::vector<Problem> problems = {};
};

/// Ranks the backends for each problem. Groups and problems are in the order in which they first appear.
/// Times of two machines are never ranked against each other. The results must outlive the groups.
std::vector<ProblemGroup> compare_backends(const Runs& runs);

/// `fastest`, `as fast (within 3 %)`, `not distinguishable (at most 1.2x)`, `1.8x slower (1.7x to 1.9x)`, `5
/// % slower (3 to 8 %)`; with a "~" if intervals are missing; empty for Standing::none.
std::string describe_standing(const Entry& entry);

struct BackendSummary {
  std::string backend;
  std::size_t problems = 0;  // where it and another backend have a time
  std::size_t fastest = 0;   // of those, where all others are slower
  std::size_t shares = 0;    // where it and at least one other are the fastest or not distinguishable from it
  double mean_ratio = 1;     // geometric mean of its time divided by the fastest's
  double largest_ratio = 1;  // largest ratio where it is slower
  std::string largest_in;    // title of that problem
};

struct LibrarySummary {
  std::string problems_name = "problems";  // "matrix products" if all have one operation
  std::size_t problems = 0;                // with at least two times
  std::vector<BackendSummary> backends;    // most often fastest first, then by rising mean ratio

  const BackendSummary& leader() const { return backends.front(); }
};

/// Summarises the problems of one machine. If any problem was compared, there are at least two backends.
LibrarySummary summarise(std::span<const ProblemGroup> groups, const std::string& machine);

/// "oneDNN is the fastest for 13 of 14 matrix products and shares the lead in 1 more." Empty if nothing was
/// compared.
std::string leader_sentence(const LibrarySummary& summary);

/// "13 of 14, shares 1".
std::string fastest_text(const BackendSummary& one);

/// "On average PyTorch takes 1.5x and OpenBLAS 1.6x as long as the fastest." Empty if there is only one
/// backend.
std::string average_sentence(const LibrarySummary& summary);

/// "Largest gap: PyTorch, 64 x 64 x 64 bf16, 6.3x." Empty if no backend is slower.
std::string gap_sentence(const LibrarySummary& summary);

}  // namespace breakeven
