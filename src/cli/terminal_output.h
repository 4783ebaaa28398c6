#pragma once

#include "reports/render/terminal_lines.h"
#include "results/result.h"

namespace breakeven {

/// For standard output: its width, with colour where it is a terminal and NO_COLOR (https://no-color.org) is
/// not set.
TerminalStyle terminal_style();

/// The report on standard output.
void print_terminal_report(const Result& result);

}  // namespace breakeven
