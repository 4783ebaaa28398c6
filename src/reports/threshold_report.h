// What `threshold` found, for people.
#pragma once

#include <string>

#include "reports/page.h"
#include "verdicts/threshold.h"

namespace breakeven {

/// An answer each in words, and below it what was measured, by value.
std::string threshold_terminal(const Threshold& threshold, const TerminalStyle& style);
std::string threshold_markdown(const Threshold& threshold);

}  // namespace breakeven
