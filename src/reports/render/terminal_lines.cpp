#include "reports/render/terminal_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "reports/text.h"

namespace breakeven {
namespace {

constexpr std::size_t narrowest = 40;

}  // namespace

Page::Page(const TerminalStyle& style)
    : style_(style), width_(std::max(narrowest, static_cast<std::size_t>(std::max(style.width, 0)))) {}

std::string Page::show(std::string_view text) const {
  return style_.unicode ? std::string(text) : to_ascii(text);
}

std::string Page::cut(std::string_view text, std::size_t columns) const {
  if (style_.unicode) return shorten(text, columns);
  const std::string ascii = to_ascii(text);
  return ascii.size() <= columns ? ascii : ascii.substr(0, columns - 3) + "...";
}

void Page::write(std::string_view shown, std::string_view code) {
  if (style_.colour && !code.empty() && !shown.empty()) {
    text_ += fmt::format("\x1b[{}m{}\x1b[0m", code, shown);
  } else {
    text_ += shown;
  }
}

void Page::end_line() {
  while (!text_.empty() && text_.back() == ' ') text_.pop_back();
  text_ += '\n';
}

void Page::wrapped(std::string_view word, std::string_view word_colour, std::string_view text,
                   std::string_view text_colour, std::size_t from, std::size_t hang, std::size_t most_lines) {
  std::string shown = show(word);
  const std::size_t coloured = shown.size();
  if (!shown.empty() && !text.empty()) shown += ' ';
  shown += show(text);
  const std::size_t room = width_ - std::min(from + hang, width_ - narrowest / 2);
  std::vector<std::string> lines = wrap(shown, room);
  if (lines.size() > most_lines) {
    lines.resize(most_lines);
    lines.back() = wrap(lines.back(), room - 4).front() + show(" …");
  }
  std::size_t left = coloured;  // bytes of the word that are left; it may be longer than a line
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) write(std::string(from + hang, ' '));
    const std::size_t of_word = std::min(left, lines[i].size());
    write(std::string_view(lines[i]).substr(0, of_word), word_colour);
    write(std::string_view(lines[i]).substr(of_word), text_colour);
    left -= of_word;
    if (i + 1 < lines.size()) end_line();
  }
  end_line();
}

void Page::paragraph(std::string_view text, std::string_view code, std::size_t hang, std::size_t most_lines) {
  wrapped("", colour::none, text, code, 0, hang, most_lines);
}

std::string Page::take() {
  return std::move(text_);
}

}  // namespace breakeven
