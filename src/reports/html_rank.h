// A ranking as a page for a browser.
#pragma once

#include <string>

#include "verdicts/rank.h"

namespace breakeven {

std::string rank_html(const Ranking& ranking);

}  // namespace breakeven
