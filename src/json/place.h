// Where in a JSON file something is wrong, so that every complaint leads its reader to the spot.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "json/error.h"

namespace breakeven {

/// A config that cannot be used. The message reads `FILE: /json/pointer: what is wrong; remedy`.
class ConfigError : public JsonError {
 public:
  using JsonError::JsonError;
};

/// A key as a part of a JSON pointer (RFC 6901): "/a~1b".
std::string pointer_to(std::string_view key);

/// One value of a JSON file, as a JSON pointer (RFC 6901).
class Place {
 public:
  Place() = default;  // of text that is no file's
  explicit Place(std::string file) : file_(std::move(file)) {}
  Place operator/(std::string_view key) const;
  Place operator/(std::size_t index) const;
  /// The value that a JSON pointer names.
  Place at(std::string_view pointer) const;

  const std::string& file() const { return file_; }
  const std::string& pointer() const { return pointer_; }
  /// Throws ConfigError.
  [[noreturn]] void fail(std::string_view message) const;

 private:
  std::string file_;
  std::string pointer_;  // empty: the whole document
};

}  // namespace breakeven
