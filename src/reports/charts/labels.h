// Estimates the width of text in pictures, so that labels neither overlap nor leave the picture.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace breakeven::svg {

inline constexpr double font_size = 12, line_height = 15;

/// The width of a text in pixels at font_size. The actual font is unknown: these are the widths of DejaVu
/// Sans, which is wider than most.
double text_width(std::string_view text, bool bold = false);

/// Breaks a text into lines of at most `width` pixels, at spaces if there are any. Text beyond `most_lines`
/// is cut, with an ellipsis.
std::vector<std::string> wrapped(std::string_view text, double width, std::size_t most_lines);

/// Shortens each text to at most `width` with an ellipsis, at the end or at a place where texts that differ
/// stay different.
std::vector<std::string> shortened(const std::vector<std::string>& texts, double width, bool bold = false);

/// The places nearest to the wanted ones, in any order, that are at least `distance` apart and within [low,
/// high], as far as there is room.
std::vector<double> spread(const std::vector<double>& wanted, double distance, double low, double high);

}  // namespace breakeven::svg
