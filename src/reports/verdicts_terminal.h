// What `gate` and `compare` show in a terminal.
#pragma once

#include <string>

#include "reports/render/terminal_lines.h"
#include "verdicts/verdict.h"

namespace breakeven {

/// The head count, the two sides, every finding in an item of its own, worst first (of very many the worst),
/// the warnings, and how the verdicts were reached. `same` is only counted.
std::string verdicts_terminal(const Verdicts& verdicts, const TerminalStyle& style);

}  // namespace breakeven
