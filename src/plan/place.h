// Where in a config something is wrong, so that every complaint leads its reader to the spot.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace breakeven {

/// A config that cannot be used. The message reads `FILE: /json/pointer: what is wrong; remedy`.
class ConfigError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One value of a JSON file, as a JSON pointer (RFC 6901).
class Place {
 public:
  explicit Place(std::string file) : file_(std::move(file)) {}
  Place operator/(std::string_view key) const;
  Place operator/(std::size_t index) const;

  const std::string& file() const { return file_; }
  const std::string& pointer() const { return pointer_; }
  [[noreturn]] void fail(std::string_view message) const;

 private:
  std::string file_;
  std::string pointer_;  // empty: the whole document
};

}  // namespace breakeven
