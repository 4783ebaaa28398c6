// Text in pictures: how wide it will be, so that labels neither overlap nor leave the picture.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace breakeven::svg {

inline constexpr double font_size = 12, line_height = 15;

/// In pixels at font_size. The font that is used is not known: these are the widths of DejaVu Sans, which is
/// wider than most.
double text_width(std::string_view text, bool bold = false);

/// In lines of at most `width`, broken at spaces where there are any; what is beyond `most_lines` is cut,
/// with an ellipsis.
std::vector<std::string> wrapped(std::string_view text, double width, std::size_t most_lines);

/// Each no wider than `width`: an ellipsis stands for what is left out, at the end or wherever texts that
/// differ stay different.
std::vector<std::string> shortened(const std::vector<std::string>& texts, double width, bool bold = false);

/// The nearest places to the wanted ones, in any order, that are at least `distance` apart and within [low,
/// high], so far as there is room.
std::vector<double> spread(const std::vector<double>& wanted, double distance, double low, double high);

}  // namespace breakeven::svg
