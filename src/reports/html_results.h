// What results and thresholds say, as a page for a browser.
#pragma once

#include <string>

#include "verdicts/measured.h"

namespace breakeven {

std::string html_report(const Measured& measured);

}  // namespace breakeven
