// Places in JSON files, with which every error message names the exact spot.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "json/error.h"

namespace breakeven {

/// Thrown for a config that cannot be used. The message reads `FILE: /json/pointer: what is wrong; remedy`.
class ConfigError : public JsonError {
 public:
  using JsonError::JsonError;
};

/// A key as a part of a JSON pointer (RFC 6901): "/a~1b".
std::string pointer_to(std::string_view key);

/// A value of a JSON file, identified by a JSON pointer (RFC 6901).
class Place {
 public:
  Place() = default;  // for text that is not from a file
  explicit Place(std::string file) : file_(std::move(file)) {}
  Place operator/(std::string_view key) const;
  Place operator/(std::size_t index) const;
  /// The place at a JSON pointer below this one.
  Place at(std::string_view pointer) const;

  const std::string& file() const { return file_; }
  const std::string& pointer() const { return pointer_; }
  /// Throws ConfigError with this place.
  [[noreturn]] void fail(std::string_view message) const;
  template <typename First, typename... Rest>
  [[noreturn]] void fail(fmt::format_string<First, Rest...> message, First&& first, Rest&&... rest) const {
    fail(fmt::format(message, std::forward<First>(first), std::forward<Rest>(rest)...));
  }

 private:
  std::string file_;
  std::string pointer_;  // empty: the whole document
};

}  // namespace breakeven
