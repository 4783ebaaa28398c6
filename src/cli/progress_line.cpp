#include "cli/progress_line.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "reports/document/numbers.h"

namespace breakeven {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string time_left(double seconds) {
  const auto s = static_cast<long>(std::lround(seconds));
  if (s < 60) return fmt::format("{} s left", s);
  if (s < 3600) return fmt::format("{} min {:02} s left", s / 60, s % 60);
  return fmt::format("{} h {:02} min left", s / 3600, s / 60 % 60);
}

}  // namespace

int terminal_width(int descriptor) {
  winsize size{};
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

std::string progress_text(const SessionProgress& p, int width) {
  std::string text = fmt::format("[{}/{}] {}  {} {}: {}", p.cases_done, p.cases_total,
                                 time_left(p.seconds_left), p.backend, p.id, p.activity);
  if (p.median) text += fmt::format(" {}", format_seconds(*p.median));
  if (p.half_width) text += fmt::format(" +-{:.1f} %", *p.half_width * 100);
  if (text.size() > static_cast<std::size_t>(width)) text.resize(static_cast<std::size_t>(width));
  return text;
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
  if (!active_ || now() - last_shown_ < 0.1) return;
  last_shown_ = now();
  fmt::print(stderr, "\r\x1b[K{}", progress_text(progress, terminal_width(STDERR_FILENO) - 1));
  std::fflush(stderr);
}

void ProgressLine::clear() {
  if (active_ && last_shown_ > 0) fmt::print(stderr, "\r\x1b[K");
}

}  // namespace breakeven
