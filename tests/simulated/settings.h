// What BREAKEVEN_SIMULATED says: key=value pairs with commas between, as in `fault=hang,at=sample,nth=3`.
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

/// Each setting is taken once, by the part of the program that knows it.
class Settings {
 public:
  /// Throws SettingsError for a part without '=', and for a key that is given twice.
  explicit Settings(const std::string& text);
  /// Adds what is not set already.
  void add_fallback(const std::string& key, const std::string& value) { values_.emplace(key, value); }

  std::string take_text(const std::string& key, const std::string& otherwise);
  /// Throws SettingsError where it is no number.
  double take_number(const std::string& key, double otherwise);
  std::int64_t take_integer(const std::string& key, std::int64_t otherwise);
  /// Throws SettingsError where something is left that nobody has taken: a mistyped key must not pass
  /// silently for a test that finds nothing.
  void expect_nothing_left() const;

 private:
  std::map<std::string, std::string> values_;
};

}  // namespace breakeven::simulated
