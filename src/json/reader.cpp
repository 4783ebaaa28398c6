#include "json/reader.h"

#include <cmath>
#include <cstdint>

namespace breakeven {

JsonReader::JsonReader(const Json& json, Place place) : json_(json), place_(std::move(place)) {
  if (!json.is_object()) fail("must be an object");
}

void JsonReader::fail(const std::string& what) const {
  throw JsonError(place_.pointer(), what);
}

void JsonReader::fail_at(const std::string& key, const std::string& what) const {
  throw JsonError((place_ / key).pointer(), what);
}

const Json& JsonReader::at(const char* key) const {
  const auto found = json_.find(key);
  if (found == json_.end()) fail_at(key, "is missing");
  return *found;
}

const Json* JsonReader::find(const char* key) const {
  const auto found = json_.find(key);
  return found == json_.end() || found->is_null() ? nullptr : &*found;
}

JsonReader JsonReader::child(const char* key) const {
  return JsonReader(at(key), place_ / key);
}

std::size_t JsonReader::count(const char* key) const {
  const auto value = get<std::int64_t>(key);
  if (value < 0) fail_at(key, "is below 0");
  return static_cast<std::size_t>(value);
}

std::vector<double> JsonReader::numbers(const char* key) const {
  const Json& list = at(key);
  if (!list.is_array()) fail_at(key, "must be a list");
  std::vector<double> values;
  values.reserve(list.size());
  for (const Json& value : list) {
    if (!value.is_number() && !value.is_null()) fail_at(key, "must hold numbers");
    values.push_back(value.is_null() ? std::nan("") : value.get<double>());
  }
  return values;
}

std::vector<std::pair<std::string, std::string>> JsonReader::pairs(const char* key) const {
  const Json& object = at(key);
  if (!object.is_object()) fail_at(key, "must be an object");
  std::vector<std::pair<std::string, std::string>> all;
  for (const auto& [name, value] : object.items()) {
    if (!value.is_string()) throw JsonError((place_ / key / name).pointer(), "must be a string");
    all.emplace_back(name, value.get<std::string>());
  }
  return all;
}

std::vector<JsonReader> JsonReader::list(const char* key) const {
  const Json& list = at(key);
  if (!list.is_array()) fail_at(key, "must be a list");
  std::vector<JsonReader> all;
  all.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) all.emplace_back(list[i], place_ / key / i);
  return all;
}

}  // namespace breakeven
