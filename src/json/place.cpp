#include "json/place.h"

#include <fmt/format.h>

#include "text/printable.h"

namespace breakeven {

std::string pointer_to(std::string_view key) {
  std::string part = "/";
  for (const char c : key) {  // ~ becomes ~0, and / becomes ~1
    if (c == '~' || c == '/') part += '~';
    part += c == '~' ? '0' : c == '/' ? '1' : c;
  }
  return part;
}

Place Place::operator/(std::string_view key) const {
  return at(pointer_to(key));
}

Place Place::operator/(std::size_t index) const {
  return at(fmt::format("/{}", index));
}

Place Place::at(std::string_view pointer) const {
  Place inner = *this;
  inner.pointer_ += pointer;
  return inner;
}

void Place::fail(std::string_view message) const {
  throw ConfigError(message_line(pointer_.empty() ? fmt::format("{}: {}", file_, message)
                                                  : fmt::format("{}: {}: {}", file_, pointer_, message)));
}

}  // namespace breakeven
