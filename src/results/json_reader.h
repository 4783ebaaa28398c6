// Reading the JSON of result and verdict files: strict about types, with errors that say where.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "protocol/json_value.h"
#include "results/result.h"

namespace breakeven {

/// One object of the JSON, and its place for errors: a JSON pointer.
class JsonReader {
 public:
  using Json = nlohmann::ordered_json;

  JsonReader(const Json& json, std::string place) : json_(json), place_(std::move(place)) {
    if (!json.is_object()) fail("must be an object");
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw ResultError(fmt::format("{} {}", place_.empty() ? "/" : place_, what));
  }
  const Json& at(const char* key) const {
    const auto found = json_.find(key);
    if (found == json_.end()) fail_at(key, "is missing");
    return *found;
  }
  bool has(const char* key) const { return find(key) != nullptr; }
  JsonReader child(const char* key) const { return {at(key), place_ + "/" + key}; }
  template <typename T>
  T get(const char* key) const {
    return as<T>(at(key), key);
  }
  template <typename T>
  T get_or(const char* key, T otherwise) const {
    const Json* found = find(key);
    return found != nullptr ? as<T>(*found, key) : std::move(otherwise);
  }
  template <typename T>
  std::optional<T> optional(const char* key) const {
    const Json* found = find(key);
    if (found == nullptr) return std::nullopt;
    return as<T>(*found, key);
  }
  std::optional<double> optional_number(const char* key) const { return optional<double>(key); }
  /// A whole number of things.
  std::size_t count(const char* key) const {
    const auto value = get<std::int64_t>(key);
    if (value < 0) fail_at(key, "is below 0");
    return static_cast<std::size_t>(value);
  }
  /// null is NaN
  double number(const char* key) const { return optional_number(key).value_or(std::nan("")); }
  /// Absent is none, null among them is NaN.
  std::vector<double> numbers(const char* key) const {
    std::vector<double> values;
    const Json* found = find(key);
    if (found == nullptr) return values;
    if (!found->is_array()) fail_at(key, "must be a list");
    values.reserve(found->size());
    for (const auto& value : *found) {
      if (!value.is_number() && !value.is_null()) fail_at(key, "must hold numbers");
      values.push_back(value.is_null() ? std::nan("") : value.get<double>());
    }
    return values;
  }
  /// An object of strings, in its order.
  std::vector<std::pair<std::string, std::string>> pairs(const char* key) const {
    std::vector<std::pair<std::string, std::string>> all;
    const Json* found = find(key);
    if (found == nullptr) return all;
    if (!found->is_object()) fail_at(key, "must be an object");
    for (const auto& [name, value] : found->items()) {
      if (!value.is_string()) fail_at(fmt::format("{}/{}", key, name), "must be a string");
      all.emplace_back(name, value.get<std::string>());
    }
    return all;
  }
  /// read(JsonReader) for each object of a list, which must be there.
  template <typename Each>
  void each(const char* key, Each read) const {
    const Json& list = at(key);
    if (!list.is_array()) fail_at(key, "must be a list");
    for (std::size_t i = 0; i < list.size(); ++i)
      read(JsonReader(list[i], fmt::format("{}/{}/{}", place_, key, i)));
  }

 private:
  /// Nothing where it is null, too.
  const Json* find(const char* key) const {
    const auto found = json_.find(key);
    return found == json_.end() || found->is_null() ? nullptr : &*found;
  }
  template <typename T>
  T as(const Json& value, const char* key) const {
    if (auto read = exactly<T>(value)) return *std::move(read);
    fail_at(key, "is of the wrong type");
  }
  [[noreturn]] void fail_at(const std::string& key, const char* what) const {
    throw ResultError(fmt::format("{}/{} {}", place_, key, what));
  }

  const Json& json_;
  std::string place_;
};

}  // namespace breakeven
