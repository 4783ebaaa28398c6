// Reading parsed JSON: strict about types, with errors that say where.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "json/place.h"
#include "json/value.h"

namespace breakeven {

/// One object of the JSON, and its place for errors. What fails throws JsonError.
class JsonReader {
 public:
  explicit JsonReader(const Json& json, Place place = {});

  const Json& json() const { return json_; }
  [[noreturn]] void fail(const std::string& what) const;
  /// The same of one member.
  [[noreturn]] void fail_at(const std::string& key, const std::string& what) const;

  /// The member, which must be there.
  const Json& at(const char* key) const;
  /// The member; null where it is not there, or holds null.
  const Json* find(const char* key) const;
  JsonReader child(const char* key) const;
  template <typename T>
  T get(const char* key) const {
    if (auto read = exactly<T>(at(key))) return *std::move(read);
    fail_at(key, "is of the wrong type");
  }

  /// A whole number of things.
  std::size_t count(const char* key) const;
  /// null among them is NaN.
  std::vector<double> numbers(const char* key) const;
  /// An object of strings, in its order.
  std::vector<std::pair<std::string, std::string>> pairs(const char* key) const;
  /// The objects of a list.
  std::vector<JsonReader> list(const char* key) const;

 private:
  const Json& json_;
  Place place_;
};

}  // namespace breakeven
