// The figures that tables show of each result: one row here is one column there.
#pragma once

#include <string>
#include <vector>

#include "reports/comparison.h"

namespace breakeven {

struct Figure {
  std::string header;
  std::string (*text)(const Entry&) = nullptr;  // empty: nothing to say of this result
  bool essential = false;                       // stays in the row however narrow the table
};

/// The figures that some result of the group has, in the order of their columns. Units are in the cells, or
/// in the header where all cells share one.
std::vector<Figure> figures(const ProblemGroup& group);

}  // namespace breakeven
