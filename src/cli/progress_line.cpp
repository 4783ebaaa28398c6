#include "cli/progress_line.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "reports/document/numbers.h"
#include "reports/text.h"

namespace breakeven {
namespace {

/// The time left, rounded to its precision.
std::string time_left(const SessionProgress& progress) {
  if (!progress.seconds_left) return {};
  const std::string word = progress.at_most ? "at most" : "about";
  const auto s = std::max(0L, std::lround(*progress.seconds_left));
  constexpr long minute = 60, hour = 3600, step = 5;
  if (s < minute) return fmt::format("{} {} s left", word, std::max(1L, (s + step - 1) / step) * step);
  if (s < hour) return fmt::format("{} {} min left", word, (s + minute / 2) / minute);
  return fmt::format("{} {} h {:02} min left", word, s / hour, s / minute % minute);
}

/// The line's text, shortened to `width` columns.
std::string progress_text(const SessionProgress& p, int width) {
  const std::string left = time_left(p);
  std::string text = fmt::format("[{}/{}] {}{}{} {}: {}", p.cases_done, p.cases_total, left,
                                 left.empty() ? "" : "  ", p.backend, p.id, p.activity);
  if (p.median) text += fmt::format(" {}", format_seconds(*p.median));
  if (p.half_width) text += fmt::format(" +-{:.1f} %", *p.half_width * 100);
  return shorten(printable(text), static_cast<std::size_t>(std::max(0, width)));
}

/// Redraws the line. It does not use fmt::print, which throws if the terminal has gone.
void redraw(const std::string& text) {
  std::fputs("\r\x1b[K", stderr);
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace

int terminal_width(int descriptor) {
  winsize size{};
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

ProgressLine::ProgressLine(bool quiet) {
  const char* term = std::getenv("TERM");
  const bool dumb = term == nullptr || std::string_view(term) == "dumb";
  active_ = !quiet && !dumb && isatty(STDERR_FILENO) == 1;
}

ProgressLine::~ProgressLine() {
  clear();
}

void ProgressLine::show(const SessionProgress& progress) {
  if (!active_ || seconds_since(last_shown_) < 0.1) return;
  last_shown_ = Clock::now();
  redraw(progress_text(progress, terminal_width(STDERR_FILENO) - 1));
}

void ProgressLine::clear() {
  if (active_ && last_shown_ != Clock::time_point()) redraw("");
}

}  // namespace breakeven
