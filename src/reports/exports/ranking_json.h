#pragma once

#include <string>

#include "rank/rank.h"

namespace breakeven {

/// Writes JSON, schema breakeven.rank/1, described in docs/result-file.md.
std::string to_json_text(const Ranking& ranking);

}  // namespace breakeven
