// The report that people read in a browser: one file, that asks for nothing else.
#pragma once

#include <span>
#include <string>

#include "results/result.h"

namespace breakeven {

/// Works from disk and without a network: data, style, script and Chart.js (where the build found it) are in
/// it. Nothing that results hold can become markup or script: the page's own script puts all of it in as
/// text.
std::string html_report(std::span<const Result> results);

}  // namespace breakeven
