// Converts JSON values to parameter values, and checks them against the parameter's limits.
#pragma once

#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "plan/json_file.h"
#include "workloads/parameters.h"

namespace breakeven {

/// Refers to the value of another parameter of the same combination.
struct Reference {
  std::string parameter;
  bool operator==(const Reference&) const = default;
};
/// A value in a config, or a reference to one.
using Cell = std::variant<Value, Reference>;

/// Reads a config's values. Relative paths are relative to `folder`.
struct ValueReader {
  std::filesystem::path folder = {};
  const std::vector<Parameter>& parameters;

  /// The value of `parameter`. Throws ConfigError if the parameter cannot have it.
  Value value(const Json& json, const Place& place, const Parameter& parameter) const;
  /// Reads a value, or a reference: a string for a parameter whose values are not strings.
  Cell cell(const Json& json, const Place& place, const Parameter& parameter) const;
};

const Parameter* find_parameter(const std::vector<Parameter>& parameters, const std::string& name);

}  // namespace breakeven
