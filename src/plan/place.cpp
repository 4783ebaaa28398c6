#include "plan/place.h"

#include <fmt/format.h>

namespace breakeven {
namespace {

/// Keys come from a file: they must not move a terminal's cursor.
std::string printable(const std::string& text) {
  std::string shown;
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (code < 0x20 || code == 0x7f) {
      shown += fmt::format("\\x{:02x}", code);
    } else {
      shown += c;
    }
  }
  return shown;
}

}  // namespace

Place Place::operator/(std::string_view key) const {
  Place inner = *this;
  inner.pointer_ += '/';
  for (const char c : key) {
    if (c == '~') {
      inner.pointer_ += "~0";
    } else if (c == '/') {
      inner.pointer_ += "~1";
    } else {
      inner.pointer_ += c;
    }
  }
  return inner;
}

Place Place::operator/(std::size_t index) const {
  Place inner = *this;
  inner.pointer_ += fmt::format("/{}", index);
  return inner;
}

void Place::fail(std::string_view message) const {
  throw ConfigError(printable(pointer_.empty() ? fmt::format("{}: {}", file_, message)
                                               : fmt::format("{}: {}: {}", file_, pointer_, message)));
}

}  // namespace breakeven
