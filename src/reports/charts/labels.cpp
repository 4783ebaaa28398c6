#include "reports/charts/labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <set>

#include "reports/text.h"

namespace breakeven::svg {
namespace {

/// Widths of the characters from space to ~, in hundredths of the font size.
constexpr std::array<std::uint8_t, 95> widths{
    32, 41, 46, 84, 64, 96, 78, 28, 40,  40, 50, 84, 32, 37, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 34, 34, 84, 84, 84, 54, 100, 69, 69, 70, 77, 64, 58, 78, 76, 30, 30, 66, 56, 87, 75, 79,
    61, 79, 70, 64, 62, 74, 69, 99, 69,  62, 69, 40, 34, 40, 84, 50, 50, 62, 64, 55, 64, 62, 36, 64,
    64, 28, 28, 58, 28, 98, 64, 62, 64,  64, 42, 53, 40, 64, 60, 82, 60, 60, 53, 64, 34, 64, 84};

/// The width of a character relative to the font size.
double ems_of(char32_t c) {
  if (c >= ' ' && c <= '~') return widths.at(c - ' ') / 100.0;
  const double columns = columns_of(c);
  return columns == 0 ? 0 : columns == 1 ? 0.8 : 1.05;
}

double size_of(bool bold) {
  return font_size * (bold ? 1.12 : 1);
}

/// Shortens a text that is wider than `width` with an ellipsis. The part after the ellipsis gets the fraction
/// `share` of the width.
std::string cut(const std::string& text, double width, bool bold, double share) {
  if (text_width(text, bold) <= width) return text;
  const double room = std::max(0.0, width - text_width("…", bold));
  std::string_view tail = text;
  while (text_width(tail, bold) > room * share) next_character(tail);
  const double before = (room - text_width(tail, bold)) / size_of(bold);
  return text.substr(0, bytes_within(text, before, ems_of)) + "…" + std::string(tail);
}

}  // namespace

double text_width(std::string_view text, bool bold) {
  double ems = 0;
  while (!text.empty()) ems += ems_of(next_character(text));
  return size_of(bold) * ems;
}

std::vector<std::string> wrapped(std::string_view text, double width, std::size_t most_lines) {
  std::vector<std::string> lines;
  while (!text.empty() && lines.size() + 1 < most_lines)
    lines.push_back(take_line(text, width / font_size, ems_of));
  if (!text.empty()) lines.push_back(cut(std::string(text), width, false, 0.3));
  return lines;
}

std::vector<std::string> shortened(const std::vector<std::string>& texts, double width, bool bold) {
  const std::size_t different = std::set<std::string>(texts.begin(), texts.end()).size();
  std::vector<std::string> made(texts.size());
  for (const double share : {0.0, 0.3, 0.5, 0.7, 1.0}) {
    std::ranges::transform(texts, made.begin(),
                           [&](const std::string& text) { return cut(text, width, bold, share); });
    if (std::set<std::string>(made.begin(), made.end()).size() == different) return made;
  }
  for (std::size_t i = 0; i < texts.size(); ++i)
    made[i] = cut(fmt::format("{}: {}", i + 1, texts[i]), width, bold, 0);
  return made;
}

std::vector<double> spread(const std::vector<double>& wanted, double distance, double low, double high) {
  struct Block {  // adjacent labels that touch, around the mean of their wanted places
    double sum = 0;
    std::size_t first = 0, count = 0;
    double begin = 0;
  };
  std::vector<std::size_t> order(wanted.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return wanted[i]; });
  std::vector<Block> blocks;
  const auto settle = [&](Block& block) {
    const double length = distance * static_cast<double>(block.count - 1);
    block.begin = std::max(low, std::min(block.sum / static_cast<double>(block.count), high - length));
  };
  for (std::size_t i = 0; i < order.size(); ++i) {
    Block next{.sum = wanted[order[i]], .first = i, .count = 1};
    settle(next);
    while (!blocks.empty() &&
           blocks.back().begin + distance * static_cast<double>(blocks.back().count) > next.begin) {
      Block& before = blocks.back();
      const auto shift = distance * static_cast<double>(before.count * next.count);
      next = {
          .sum = before.sum + next.sum - shift, .first = before.first, .count = before.count + next.count};
      settle(next);
      blocks.pop_back();
    }
    blocks.push_back(next);
  }
  std::vector<double> places(wanted.size());
  for (const Block& block : blocks) {
    for (std::size_t i = 0; i < block.count; ++i)
      places[order[block.first + i]] = block.begin + distance * static_cast<double>(i);
  }
  return places;
}

}  // namespace breakeven::svg
