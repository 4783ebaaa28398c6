#include "plan/values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>

#include "plan/suggestion.h"
#include "protocol/messages.h"

namespace breakeven {
namespace {

using Kind = Parameter::Kind;

/// Resolves the path of a data set relative to the config that names it, not to the working directory.
std::string beside(const std::filesystem::path& folder, const std::string& path) {
  if (path.empty() || std::filesystem::path(path).is_absolute()) return path;
  return (folder / path).lexically_normal().string();
}

}  // namespace

Value ValueReader::value(const Json& json, const Place& place, const Parameter& parameter) const {
  std::optional<Value> value = value_from_json(json);
  // 1 and 1.0 are the same number, and must give the same case id.
  if (value && parameter.kind == Kind::number && std::holds_alternative<std::int64_t>(*value))
    value = static_cast<double>(std::get<std::int64_t>(*value));
  const auto wanted = value ? parameter.rejects(*value) : parameter.rejects(Value{});
  if (!value || wanted) {
    const std::string hint = parameter.kind == Kind::choice && json.is_string()
                                 ? did_you_mean(json.get_ref<const std::string&>(), parameter.choices)
                                 : "";
    place.fail("{} is {}; it must be {}{}", parameter.name, shown(json), wanted.value_or("a single value"),
               hint);
  }
  if (parameter.kind == Kind::text && parameter.name == "data")
    return beside(folder, std::get<std::string>(*value));
  return *std::move(value);
}

Cell ValueReader::cell(const Json& json, const Place& place, const Parameter& parameter) const {
  if (!json.is_string() || parameter.kind == Kind::choice || parameter.kind == Kind::text)
    return value(json, place, parameter);
  const auto& other = json.get_ref<const std::string&>();
  if (other == parameter.name) place.fail("{} refers to itself; give it a value", parameter.name);
  if (find_parameter(parameters, other) == nullptr) {
    place.fail("{} is {}, which is not the name of another parameter ({}); it must be that, or {}{}",
               parameter.name, shown(json), fmt::join(names_in(parameters), ", "),
               parameter.rejects(Value{other}).value_or("a value"),
               did_you_mean(other, names_in(parameters)));
  }
  return Reference{other};
}

const Parameter* find_parameter(const std::vector<Parameter>& parameters, const std::string& name) {
  const auto found = std::ranges::find(parameters, name, &Parameter::name);
  return found == parameters.end() ? nullptr : &*found;
}

}  // namespace breakeven
