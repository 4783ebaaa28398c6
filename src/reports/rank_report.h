// What `rank` found, for people.
#pragma once

#include <string>

#include "reports/render/terminal_lines.h"
#include "verdicts/rank.h"

namespace breakeven {

/// The order first; then when a GPU pays, what fits, and what is not known and why.
std::string rank_terminal(const Ranking& ranking, const TerminalStyle& style);
/// The same, with each case, the software and the prices.
std::string rank_markdown(const Ranking& ranking);
/// What it says and what else is to be known, a sentence a line. Printable.
std::string rank_answers(const Ranking& ranking);

}  // namespace breakeven
