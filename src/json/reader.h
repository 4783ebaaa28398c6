// Reads parsed JSON: strict about types, with errors that name the place.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "json/place.h"
#include "json/value.h"

namespace breakeven {

/// A JSON object and its place. All errors are JsonErrors.
class JsonReader {
 public:
  explicit JsonReader(const Json& json, Place place = {});

  const Json& json() const { return json_; }
  [[noreturn]] void fail(const std::string& what) const;
  /// Throws JsonError for a member.
  [[noreturn]] void fail_at(const std::string& key, const std::string& what) const;

  /// Returns a required member.
  const Json& at(const char* key) const;
  /// Returns a member; null if it is missing or is JSON's null.
  const Json* find(const char* key) const;
  JsonReader child(const char* key) const;
  template <typename T>
  T get(const char* key) const {
    if (auto read = exactly<T>(at(key))) return *std::move(read);
    fail_at(key, "is of the wrong type");
  }

  /// Returns a member; empty if it is missing or null.
  template <typename T>
  std::optional<T> get_if(const char* key) const {
    return find(key) == nullptr ? std::nullopt : std::optional(get<T>(key));
  }

  /// Returns a whole number of at least 0.
  std::size_t count(const char* key) const;
  /// Returns a list of numbers. JSON's null is NaN.
  std::vector<double> numbers(const char* key) const;
  /// Returns an object of strings as pairs, in its order.
  std::vector<std::pair<std::string, std::string>> pairs(const char* key) const;
  /// Returns a list of objects.
  std::vector<JsonReader> list(const char* key) const;

 private:
  const Json& json_;
  Place place_;
};

}  // namespace breakeven
