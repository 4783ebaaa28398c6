// JSON values as parameter values, checked against what the parameter takes.
#pragma once

#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "plan/json_file.h"
#include "workloads/parameters.h"

namespace breakeven {

/// The value of another parameter of the same combination.
struct Reference {
  std::string parameter;
  bool operator==(const Reference&) const = default;
};
/// What a config may say in the place of one value.
using Cell = std::variant<Value, Reference>;

/// How a config's values are read. `folder` is what relative paths in it are relative to.
struct ValueReader {
  std::filesystem::path folder;
  const std::vector<Parameter>& parameters;

  /// The value of `parameter`. Throws std::invalid_argument, in words that stand behind a place, where the
  /// parameter cannot be that.
  Value value(const Json& json, const Parameter& parameter) const;
  /// A value, or a reference: a string where the parameter is none.
  Cell cell(const Json& json, const Parameter& parameter) const;
};

std::vector<std::string> names(const std::vector<Parameter>& parameters);
const Parameter* find_parameter(const std::vector<Parameter>& parameters, const std::string& name);

}  // namespace breakeven
