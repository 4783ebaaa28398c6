// Changes of a time as text.
#pragma once

#include <string>

#include "verdicts/verdict.h"

namespace breakeven {

/// A ratio as a change, with at most three significant digits: "-2.6 %", "+56 %", "0.0 %" without a sign.
/// From a factor of three: "3.2x slower", "320x faster".
std::string change_text(double ratio);
/// A ratio's interval as text: "+49 to +63 %"; "310x to 330x" if change_text() gives a factor.
std::string interval_text(const Ratio& ratio);
/// The change and its interval: "+56 %, +49 to +63 %".
std::string change_text(const Ratio& ratio);

}  // namespace breakeven
