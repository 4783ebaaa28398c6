// Lines of a report in a terminal: colours, widths, wrapping.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace breakeven {

struct TerminalStyle {
  bool colour = false;
  int width = 80;  // columns; at least 40
  bool unicode = true;
};

namespace colour {
inline constexpr std::string_view none, bold = "1", dim = "2", red = "31", green = "32", yellow = "33",
                                        heading = "1;36", best = "1;32";
}

/// Writes lines in one style. Its input may be any printable text.
class Page {
 public:
  explicit Page(const TerminalStyle& style);

  std::size_t width() const { return width_; }

  /// The text in the characters of the style. Use it before measuring a width, so that the measured text is
  /// the written one.
  std::string show(std::string_view text) const;

  /// The shown text, cut to at most `columns`.
  std::string cut(std::string_view text, std::size_t columns) const;

  void write(std::string_view shown, std::string_view code = colour::none);

  /// Ends a line and removes trailing spaces.
  void end_line();

  /// Writes the rest of a line that has got to column `from`: a first word in its own colour, then text, in
  /// at most `most_lines` lines, the later ones indented by `hang` more columns. Ends the line.
  void wrapped(std::string_view word, std::string_view word_colour, std::string_view text,
               std::string_view text_colour, std::size_t from, std::size_t hang, std::size_t most_lines);

  void paragraph(std::string_view text, std::string_view code, std::size_t hang, std::size_t most_lines);

  std::string take();

 private:
  TerminalStyle style_;
  std::size_t width_;
  std::string text_;
};

}  // namespace breakeven
