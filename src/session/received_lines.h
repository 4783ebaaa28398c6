// What a program has sent and nobody has taken yet.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace breakeven {

class ReceivedLines {
 public:
  void append(std::string_view bytes) { bytes_ += bytes; }
  bool empty() const { return bytes_.empty(); }

  bool has_line() { return line_end() != std::string::npos; }
  /// The size of the first line, or of what has come of it.
  std::size_t line_size() { return has_line() ? line_end() : bytes_.size(); }
  /// The first line, without the end of line; nothing until all of it is here.
  std::optional<std::string> take_line();
  /// All there is, a whole line or not.
  const std::string& rest() const { return bytes_; }

 private:
  /// Looks at each byte once, however many pieces a line comes in.
  std::size_t line_end();

  std::string bytes_;
  std::size_t searched_ = 0;  // there is no end of line before this
};

}  // namespace breakeven
