// Ranks the backends for each problem on one machine: which is the fastest, and by how much. Summarises them
// over many problems.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "reports/document/families.h"
#include "reports/metrics.h"
#include "results/focus.h"
#include "statistics/estimate.h"

namespace breakeven {

enum class Standing {
  none,          // not ok or without a time, so there is nothing to compare
  alone,         // the only one with a time
  fastest,       // has the smallest median
  as_fast,       // the whole interval of its ratio to the fastest is within `equivalence`
  not_distinct,  // it is unknown which is faster: may_be_equal() holds for its ratio to the fastest
  slower,
};

/// The largest relative difference that does not matter. It equals the default threshold of `gate`.
inline constexpr double equivalence = 0.03;

/// One backend's result for a problem. Points into the results given to compare_backends().
struct Entry : MeasuredCase {
  Standing standing = Standing::none;
  /// Its time divided by the fastest's. The interval is set if both have one. The intervals of a problem hold
  /// together in 95 % of problems, whichever backend came out first.
  Estimate ratio = {.value = 1};
};

/// All results with one id on one machine. Those with a time come first, fastest first, then the others in
/// the order of the files.
struct Problem {
  std::string title;
  std::size_t machine = 0;  // MeasuredCase::machine
  std::vector<Entry> entries = {};
};

struct ProblemGroup {
  std::string op;
  bool by_latency = false;  // its backends are compared by the median latency of single calls
  std::vector<Problem> problems = {};
};

/// Ranks the backends for each problem. Groups and problems are in the order in which they first appear.
/// Times of two machines are never ranked against each other. For a question about latency, problems whose
/// results all have one are compared by its median, without an interval. The results must outlive the groups.
std::vector<ProblemGroup> compare_backends(const Measurements& measured, std::optional<Focus> asked = {});

/// `fastest`, `as fast (within 3 %)`, `not distinguishable (at most 1.2x)`, `1.8x slower (1.7x to 1.9x)`, `5
/// % slower (3 to 8 %)`; with a "~" if intervals are missing; empty for Standing::none.
std::string describe_standing(const Entry& entry);

/// True if too many of the ratios in a mean have no interval for the mean to be exact.
bool is_rough(std::span<const Estimate> ratios);

struct BackendSummary {
  std::string backend;
  std::set<std::string> leads_as = {};  // computing_title() where it leads
  std::size_t problems = 0;             // where it and another backend have a time
  std::size_t fastest = 0;              // of those, where all others are slower
  std::size_t shares = 0;  // where it and at least one other are the fastest or not distinguishable from it
  double mean_ratio = 1;   // geometric mean of its time divided by the fastest's
  bool is_rough = false;   // too many ratios in the mean have no interval
  Estimate largest_ratio = {.value = 1};  // largest ratio where it is slower
  std::string largest_in;                 // title of that problem
};

/// A backend's problems on one machine that ended with a bad status.
struct Trouble {
  Status status = Status::failed;
  std::string backend;
  std::size_t problems = 0;
  std::size_t requested = 0;  // all problems of the backend, except those that it does not support
};

struct LibrarySummary {
  std::string problems_name = "problems";  // "matrix products" if all have one operation
  std::size_t problems = 0;                // with at least two times
  std::size_t not_measured = 0;            // that would have two times, had the run not been interrupted
  std::vector<BackendSummary> backends;    // most often fastest first, then by rising mean ratio
  std::vector<Trouble> troubles = {};      // the worst status first

  const BackendSummary& leader() const { return backends.front(); }
};

/// Summarises the problems of one machine. If any problem was compared, there are at least two backends.
LibrarySummary summarise(std::span<const ProblemGroup> groups, std::size_t machine);

/// "oneDNN is the fastest for 13 of 14 matrix products and shares the lead in 1 more." After an interrupted
/// run, "for all 3 problems that were measured (of 12)". Empty if nothing was compared.
std::string leader_sentence(const LibrarySummary& summary);

/// "13 of 14, shares 1".
std::string fastest_text(const BackendSummary& one);

/// "On average PyTorch takes 1.5x, OpenBLAS 1.6x (over 6 of 10) and others up to 5.0x as long as the
/// fastest." The leader is among them where it is not always the fastest. Empty if there is only one backend.
std::string average_sentence(const LibrarySummary& summary);

/// The limits of a backend's mean: "over 6 of 10" if it does not have all problems, "few samples" if it is
/// rough; empty without such limits.
std::string mean_limits(const BackendSummary& one, const LibrarySummary& summary);

/// "oneDNN computes wrong results for 7 of 14 matrix products, BLIS for 2 of 14.": one sentence for each kind
/// of failure, wrong results first.
std::vector<std::string> trouble_sentences(const LibrarySummary& summary);

/// "wrong for 7 of 14", "impossibly short for 1 of 14" or both; empty if no result of the backend is either.
std::string wrong_text(const LibrarySummary& summary, const std::string& backend);

/// The titles of the backends with a result of this status.
std::vector<std::string> backends_with(const LibrarySummary& summary, Status status);

/// "Largest gap: PyTorch, 64 x 64 x 64 bf16, 6.3x." Empty if no backend is slower.
std::string gap_sentence(const LibrarySummary& summary);

}  // namespace breakeven
