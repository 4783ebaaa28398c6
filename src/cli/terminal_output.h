#pragma once

#include "results/result.h"

namespace breakeven {

/// The report on standard output, in the terminal's width, with colour where it is a terminal and NO_COLOR
/// (https://no-color.org) is not set.
void print_terminal_report(const Result& result);

}  // namespace breakeven
