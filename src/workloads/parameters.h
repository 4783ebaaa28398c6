// The parameters of a case: what a workload declares, and the values that a config gives.
#pragma once

#include <cstdint>
#include <initializer_list>
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

/// What a workload says of one of its parameters. Configs are checked, and their JSON Schema is made, from
/// this.
struct Parameter {
  enum class Kind { integer, number, boolean, choice, text };

  std::string name;
  std::string meaning;
  Kind kind = Kind::integer;
  std::optional<Value> fallback;  // none: a config must give it
  double minimum = 0;             // of integers (inclusive) and numbers (exclusive)
  double maximum = 0;
  std::vector<std::string> choices;
  bool minimum_allowed = false;  // of a number: the minimum itself, too
  /// Of one that the first backend programs did not have: itself, or the parameter that gives it a meaning.
  /// Programs that do not know it refuse it, so they are not told of it where that one is at its fallback.
  std::string added_with = {};

  /// Why `value` cannot be taken, in words that fit behind "must be"; nothing if it can.
  std::optional<std::string> rejects(const Value& value) const;
};

Parameter integer_parameter(std::string name, std::string meaning, std::int64_t minimum, std::int64_t maximum,
                            std::optional<std::int64_t> fallback = std::nullopt);
Parameter number_parameter(std::string name, std::string meaning, double above, double maximum,
                           double fallback);
/// The same, where `minimum` itself is allowed.
Parameter number_parameter_from(std::string name, std::string meaning, double minimum, double maximum,
                                double fallback);
Parameter boolean_parameter(std::string name, std::string meaning, bool fallback);
Parameter choice_parameter(std::string name, std::string meaning, std::vector<std::string> choices,
                           std::optional<std::string> fallback = std::nullopt);
Parameter text_parameter(std::string name, std::string meaning, std::string fallback);
/// `dtype`, which every workload has: one of `dtypes`.
Parameter dtype_parameter(const std::vector<Dtype>& dtypes);
/// `tuned`, of what libraries have several algorithms for.
Parameter tuned_parameter();

/// The same, of a parameter that joins a workload which programs have already. Its fallback must be what they
/// do without it, and must stay. `with`: the parameter that gives it a meaning; empty: itself.
Parameter added_later(Parameter parameter, std::string with = "");

/// Values by name, in the order in which the workload declares them.
class Parameters {
 public:
  Parameters() = default;
  Parameters(std::initializer_list<std::pair<std::string, Value>> entries) : entries_(entries) {}
  void set(std::string_view name, Value value);
  const Value* find(std::string_view name) const;
  /// Each throws std::out_of_range, naming the parameter, where it is missing or of another type.
  std::int64_t integer(std::string_view name) const;
  double number(std::string_view name) const;  // an integer will do
  bool boolean(std::string_view name) const;
  const std::string& text(std::string_view name) const;
  Dtype dtype() const;

  const std::vector<std::pair<std::string, Value>>& entries() const { return entries_; }
  bool operator==(const Parameters&) const = default;

 private:
  std::vector<std::pair<std::string, Value>> entries_;
};

/// Whether a race may choose the algorithm: `tuned`, and true of what does not have it.
bool is_tuned(const Parameters& parameters);

/// What ids and titles tell of a case: the name and value of each parameter in `known`, in that order, that
/// is given and not at its fallback; `dtype`, which they tell apart, is left out. The values are those in
/// `given`.
std::vector<std::pair<std::string_view, const Value*>> not_at_fallback(const std::vector<Parameter>& known,
                                                                       const Parameters& given);

/// Describes a sweep of `moving` by its smallest and largest case: the parameters that change with it, then
/// those not at their default value, as in ", m = n = k, batch 4".
std::string sweep_text(const std::vector<Parameter>& known, std::string_view moving,
                       const Parameters& smallest, const Parameters& largest);

}  // namespace breakeven
