// How numbers are written for readers.
#pragma once

namespace breakeven {

/// The kind of a column's cells, which decides how they are written, aligned and sorted.
enum class CellKind {
  text,
  number,   // three significant digits, thousands separated
  count,    // whole
  seconds,  // one unit for the whole column
  joules,   // one unit for the whole column
  ratio,    // 1.47 as "1.5x"
  percent,  // 0.012 as "1.2 %"
  spread,   // 0.012 as "±1.2 %"
  change,   // a ratio, 1.053 as "+5.3 %"
};

}  // namespace breakeven
