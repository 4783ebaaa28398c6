// The settings in BREAKEVEN_SIMULATED: key=value pairs with commas between them, such as
// `fault=hang,at=sample,nth=3`.
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>

namespace breakeven::simulated {

class SettingsError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The settings. Each is taken once, by the part of the program that uses it.
class Settings {
 public:
  /// Throws SettingsError for a part without '=', and for a repeated key.
  explicit Settings(const std::string& text);
  /// Adds a setting if it is not set already.
  void add_fallback(const std::string& key, const std::string& value) { values_.emplace(key, value); }

  std::string take_text(const std::string& key, const std::string& otherwise);
  /// Throws SettingsError if the value is not a number.
  double take_number(const std::string& key, double otherwise);
  std::int64_t take_integer(const std::string& key, std::int64_t otherwise);
  /// Throws SettingsError if a setting was not taken: a mistyped key would make a test find nothing.
  void expect_nothing_left() const;

 private:
  std::map<std::string, std::string> values_;
};

}  // namespace breakeven::simulated
