// Numbers as people read them: three significant digits, thousands separated, with a unit that suits their
// size. A number that is not finite is "unknown", never 0.
#pragma once

#include <string>

namespace breakeven {

/// Three significant digits without an exponent while that is short: 0.0123, 1.23, 12.3, 123, 12345.
std::string format_number(double value);

/// `3.21 ms`: three significant digits in ns, µs, ms or s.
std::string format_seconds(double seconds);

/// `3.21 mJ`: the same in nJ, µJ, mJ, J or kJ.
std::string format_joules(double joules);

/// `16.0 GiB`.
std::string format_bytes(double bytes);

/// 0.012 -> `1.2%`; two significant digits from 1 % on, one decimal below, `<0.1%` where that would be 0.
std::string format_percent(double fraction);

/// How many times the fastest, `ratio` at least 1: `4.2% slower` below a tenth more, `1.8x slower` above.
std::string format_slower(double ratio);

/// `62,900`: three significant digits, thousands separated.
std::string number_text(double value);

/// `62,935`: all digits, thousands separated.
std::string count_text(double value);

/// `0.97x`, `1.04x`, `1.5x`, `12x`: two significant digits, three near 1 and from 100 on.
std::string factor_text(double ratio);

/// 0.012 -> `1.2 %`, 0.03 -> `3 %`, 0.53 -> `53 %`: at most two significant digits; `<0.1 %` where that would
/// be 0.
std::string percent_text(double fraction);

}  // namespace breakeven
