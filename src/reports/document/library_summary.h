// Summarises the backends of one machine over many problems.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "reports/document/standings.h"

namespace breakeven {

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
