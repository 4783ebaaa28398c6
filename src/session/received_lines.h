// Buffers what a program has sent until it is taken line by line.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace breakeven {

class ReceivedLines {
 public:
  void append(std::string_view bytes) { bytes_ += bytes; }
  bool empty() const { return bytes_.empty(); }

  bool has_line() { return line_end() != std::string::npos; }
  /// The size of the first line, or of the part that has arrived.
  std::size_t line_size() { return has_line() ? line_end() : bytes_.size(); }
  /// Removes and returns the first line, without the end of line; empty until all of it has arrived.
  std::optional<std::string> take_line() {
    const std::size_t end = line_end();
    if (end == std::string::npos) return std::nullopt;
    std::string behind = bytes_.substr(end + 1);
    bytes_.resize(end);
    std::string line = std::exchange(bytes_, std::move(behind));
    searched_ = 0;
    return line;
  }
  /// All bytes that have arrived, whether or not they end a line.
  const std::string& rest() const { return bytes_; }

 private:
  /// The end of the first line. Examines each byte once, however many pieces a line arrives in.
  std::size_t line_end() {
    const std::size_t end = bytes_.find('\n', searched_);
    searched_ = end == std::string::npos ? bytes_.size() : end;
    return end;
  }

  std::string bytes_;
  std::size_t searched_ = 0;  // there is no end of line before this index
};

}  // namespace breakeven
