// The parameters of a case: those that a workload declares, and the values from a config.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "workloads/dtype.h"

namespace breakeven {

using Value = std::variant<bool, std::int64_t, double, std::string>;

std::string to_string(const Value& value);

/// The declaration of a parameter by a workload. Configs are checked with it, and their JSON Schema is
/// generated from it.
struct Parameter {
  enum class Kind { integer, number, boolean, choice, text };

  std::string name;
  std::string meaning;
  Kind kind = Kind::integer;
  std::optional<Value> default_value = {};  // if none, a config must set it
  double minimum = 0;                       // for integers (inclusive) and numbers (exclusive)
  double maximum = 0;
  std::vector<std::string> choices = {};
  bool minimum_allowed = false;  // for a number: the minimum is allowed
  /// Set for a parameter that the first backend programs did not have: its own name, or that of the parameter
  /// that gives it a meaning. Programs refuse parameters that they do not know, so it is not sent to them if
  /// that other parameter is at its default value.
  std::string added_with = {};

  /// Why `value` is not acceptable, in words that continue "must be"; empty if it is.
  std::optional<std::string> rejects(const Value& value) const;
};

Parameter integer_parameter(std::string name, std::string meaning, std::int64_t minimum, std::int64_t maximum,
                            std::optional<std::int64_t> default_value = std::nullopt);
Parameter number_parameter(std::string name, std::string meaning, double above, double maximum,
                           double default_value);
/// The same, but `minimum` itself is allowed.
Parameter number_parameter_from(std::string name, std::string meaning, double minimum, double maximum,
                                double default_value);
Parameter boolean_parameter(std::string name, std::string meaning, bool default_value);
Parameter choice_parameter(std::string name, std::string meaning, std::vector<std::string> choices,
                           std::optional<std::string> default_value = std::nullopt);
Parameter text_parameter(std::string name, std::string meaning, std::string default_value);
/// `dtype`, a parameter of every workload: one of `dtypes`.
Parameter dtype_parameter(const std::vector<Dtype>& dtypes);
/// `tuned`, for operations with several algorithms in libraries.
Parameter tuned_parameter();

/// Marks a parameter that was added to a workload which programs already have. Its default value must be what
/// they do without it, and must never change. `with` is the parameter that gives it a meaning; if empty, the
/// parameter itself.
Parameter added_later(Parameter parameter, std::string with = "");

/// Values by name, in the order in which the workload declares them.
class Parameters {
 public:
  Parameters() = default;
  Parameters(std::initializer_list<std::pair<std::string, Value>> entries)
      : entries_(std::make_shared<Entries>(entries)) {}
  void set(std::string_view name, Value value);
  /// Makes room for so many parameters. Without it, room doubles as they come, and half of it may stay empty.
  void reserve(std::size_t count);
  const Value* find(std::string_view name) const;
  /// The value of a parameter. Throws std::out_of_range with its name if it is missing or of another type.
  std::int64_t integer(std::string_view name) const;
  double number(std::string_view name) const;  // also accepts an integer
  bool boolean(std::string_view name) const;
  const std::string& text(std::string_view name) const;
  Dtype dtype() const;

  using Entries = std::vector<std::pair<std::string, Value>>;
  const Entries& entries() const;
  bool operator==(const Parameters& other) const {
    return entries_ == other.entries_ || entries() == other.entries();
  }

 private:
  /// Shared by copies until one of them is changed: a problem's results on several backends have the same.
  std::shared_ptr<Entries> entries_;
};

/// `given` in the order of `known`, with the default values of the parameters that were added later and are
/// missing: what a result of an older program means.
Parameters with_added(const std::vector<Parameter>& known, const Parameters& given);

/// Says which parameter has a value of another type than declared, and what it must be; empty if none has.
/// Other values are accepted, because a newer program may allow more of them.
std::string type_error(const std::vector<Parameter>& known, const Parameters& given);

/// True if the algorithm may be selected by timing: the value of `tuned`, or true for a workload without it.
bool is_tuned(const Parameters& parameters);

/// The parameters that appear in ids and titles of a case: name and value of each parameter in `known`, in
/// that order, that is given and not at its default value. `dtype` is left out, because ids and titles add it
/// separately. The values are those in `given`.
std::vector<std::pair<std::string_view, const Value*>> not_at_default(const std::vector<Parameter>& known,
                                                                      const Parameters& given);

/// Describes a sweep of `moving` by its smallest and largest case: the parameters that change with it, then
/// those not at their default value, such as ", m = n = k, batch 4".
std::string sweep_text(const std::vector<Parameter>& known, std::string_view moving,
                       const Parameters& smallest, const Parameters& largest);

}  // namespace breakeven
