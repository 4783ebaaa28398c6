// The starts of the warnings that reports recognise.
#pragma once

#include <string_view>

namespace breakeven {

/// The start of every `several_algorithms_text`. The numbers in it are parts of names.
inline constexpr std::string_view several_algorithms_start = "its samples are of several algorithms:";

/// The starts of the warnings of too few samples, and of a machine below its own speed. Smaller numbers in
/// them are worse.
inline constexpr std::string_view few_samples_start = "only ";
inline constexpr std::string_view own_speed_start = "this machine ran at ";

}  // namespace breakeven
