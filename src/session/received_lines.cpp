#include "session/received_lines.h"

namespace breakeven {

std::size_t ReceivedLines::line_end() {
  const std::size_t end = bytes_.find('\n', searched_);
  searched_ = end == std::string::npos ? bytes_.size() : end;
  return end;
}

std::optional<std::string> ReceivedLines::take_line() {
  const std::size_t end = line_end();
  if (end == std::string::npos) return std::nullopt;
  std::string behind = bytes_.substr(end + 1);
  bytes_.resize(end);
  std::string line = std::move(bytes_);
  bytes_ = std::move(behind);
  searched_ = 0;
  return line;
}

}  // namespace breakeven
