// Which results are of one problem, which of them is the fastest, and by how much: what every report shows.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "results/result.h"
#include "verdicts/roofline.h"

namespace breakeven {

enum class Standing {
  none,     // not ok, or without a time: nothing to compare
  alone,    // the only one with a time
  fastest,  // the smallest median
  tied,     // not the smallest, but its interval overlaps that of the fastest
  slower,
};

/// One backend's result for a problem. Points into the results given to compare().
struct Entry {
  const Result* run = nullptr;
  const CaseResult* result = nullptr;
  Standing standing = Standing::none;
  double ratio = 1;                       // its median over the fastest's
  bool certain = false;                   // both have intervals: a difference is more than noise
  std::optional<Roofline> roofline = {};  // where the device's ceilings are among the results
};

/// All results with one id: the ones with a time first, fastest first, then the others in the order of the
/// files.
struct Problem {
  std::string title;
  std::vector<Entry> entries;
};

struct ProblemGroup {
  std::string op;
  std::vector<Problem> problems;
};

/// Groups and problems are in the order in which they first appear. The results must outlive what is
/// returned.
std::vector<ProblemGroup> compare(std::span<const Result> results);

/// `fastest`, `as fast`, `1.8x slower`; with a "~" where intervals are missing; empty for Standing::none.
std::string describe_standing(const Entry& entry);

/// What the result's workload calls it, behind its label where it has one; name=value pairs where this
/// program has no such workload, the id where there are none. Printable text.
std::string problem_title(const CaseResult& result);

/// Why a result is not ok, in one printable line; never empty.
std::string explain(const CaseResult& result);

/// "the largest that fits: 8192; 8200 does not: out of memory ...", as far as it is known; printable.
std::string describe_fit(const Fit& fit);

std::map<Status, std::size_t> count_statuses(std::span<const Result> results);

/// Something that was said of one or many results: texts that differ only in their numbers are one finding.
struct Finding {
  std::string text;  // as first met; printable
  bool varies = false;
  std::size_t count = 0;              // of results; 0: said of a run as a whole
  std::vector<std::string> backends;  // in order of appearance
  std::string first;                  // operation and title of the first one
};

/// Warnings of results and of whole runs, in the order in which they first appear.
std::vector<Finding> find_warnings(std::span<const Result> results);
/// Of each status but ok: `status: explanation`.
std::vector<Finding> find_failures(std::span<const Result> results);
/// Behind the text: `(12 cases with other figures; openblas, onednn)`; empty for a whole run's.
std::string describe_extent(const Finding& finding);

/// The title that the run's config gives; empty without one.
std::string config_title(const Result& result);

/// `AMD EPYC 7B13, 2 cores, 2 threads, 16.0 GiB`: what is known of it.
std::string describe_host(const Host& host);

/// `NVIDIA H200 (GPU-...): 140 GiB, driver 580.65, 700 W, up to 1980 MHz, PCIe 5 x16, ECC on`: what is known
/// of it, and why nothing is where that is so.
std::string describe_gpu(const Gpu& gpu);

/// `openblas 0.1.0 (OpenBLAS 0.3.21) on NVIDIA H100`: what is known of it.
std::string describe_backend(const BackendRecord& backend);

}  // namespace breakeven
