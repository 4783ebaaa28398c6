#include "plan/place.h"

#include <fmt/format.h>

#include "text/printable.h"

namespace breakeven {
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
  throw ConfigError(message_line(pointer_.empty() ? fmt::format("{}: {}", file_, message)
                                                  : fmt::format("{}: {}: {}", file_, pointer_, message)));
}

}  // namespace breakeven
