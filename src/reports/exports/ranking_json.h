#pragma once

#include <string>

#include "rank/rank.h"

namespace breakeven {

/// Writes JSON, schema breakeven.rank/2, described in docs/result-file.md.
std::string to_json_text(const Rankings& rankings);

}  // namespace breakeven
