// The words of break-even answers.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "verdicts/threshold.h"

namespace breakeven {

/// A note on the values at which medians_disagree(); empty if there are none.
std::string medians_note(const ThresholdAnswer& answer, const std::string& parameter);

/// A note on the changes whose interval is wider than requested; empty if there are none.
std::string width_note(const ThresholdAnswer& answer, const Threshold& threshold);

/// The name of a side: "OpenBLAS or oneDNN"; with its number of ranks or threads if the sides differ in
/// nothing else; the machine's name if the sides are machines.
std::string name_of_side(const Threshold& threshold, std::size_t side);

/// The names of the sides in a table: their numbers of threads or ranks, if they differ in nothing else;
/// machines' names without an ending that both have, such as ", 2 cores".
std::array<std::string, 2> short_names_of_sides(const Threshold& threshold);

/// A value of the parameter: "64 KiB" of bytes, otherwise "1,024".
std::string value_text(const std::string& parameter, std::int64_t value);

/// The answer in sentences: "CUDA is faster than OpenBLAS from m = 384 (377 to 392) up to 1,024, the largest
/// measured: by 1.3x at 512 and 5.8x at 1,024. Below that OpenBLAS is faster."
std::string in_words(const ThresholdAnswer& answer, const Threshold& threshold);

}  // namespace breakeven
