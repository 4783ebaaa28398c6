#include "workloads/parameters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

namespace breakeven {

std::string to_string(const Value& value) {
  if (const auto* b = std::get_if<bool>(&value)) return *b ? "true" : "false";
  if (const auto* i = std::get_if<std::int64_t>(&value)) return fmt::format_int(*i).str();
  if (const auto* d = std::get_if<double>(&value)) return fmt::format("{}", *d);
  return std::get<std::string>(value);
}

std::optional<std::string> Parameter::rejects(const Value& value) const {
  switch (kind) {
    case Kind::integer: {
      const auto* i = std::get_if<std::int64_t>(&value);
      if (i != nullptr && static_cast<double>(*i) >= minimum && static_cast<double>(*i) <= maximum)
        return std::nullopt;
      return fmt::format("an integer from {:.0f} to {:.0f}", minimum, maximum);
    }
    case Kind::number: {
      const auto* i = std::get_if<std::int64_t>(&value);
      const auto* d = std::get_if<double>(&value);
      const double number = i != nullptr ? static_cast<double>(*i) : d != nullptr ? *d : minimum;
      const bool is_number = i != nullptr || d != nullptr;
      if (is_number && (number > minimum || (minimum_allowed && number == minimum)) && number <= maximum)
        return std::nullopt;
      return fmt::format(
          fmt::runtime(minimum_allowed ? "a number from {} to {}" : "a number above {} and up to {}"),
          minimum, maximum);
    }
    case Kind::boolean:
      if (std::holds_alternative<bool>(value)) return std::nullopt;
      return "true or false";
    case Kind::choice: {
      const auto* s = std::get_if<std::string>(&value);
      if (s != nullptr && std::find(choices.begin(), choices.end(), *s) != choices.end()) return std::nullopt;
      return fmt::format("one of {}", fmt::join(choices, ", "));
    }
    case Kind::text:
      if (std::holds_alternative<std::string>(value)) return std::nullopt;
      return "a string";
  }
  return std::nullopt;
}

Parameter integer_parameter(std::string name, std::string meaning, std::int64_t minimum, std::int64_t maximum,
                            std::optional<std::int64_t> default_value) {
  return {.name = std::move(name),
          .meaning = std::move(meaning),
          .kind = Parameter::Kind::integer,
          .default_value = default_value,
          .minimum = static_cast<double>(minimum),
          .maximum = static_cast<double>(maximum)};
}

Parameter number_parameter(std::string name, std::string meaning, double above, double maximum,
                           double default_value) {
  return {.name = std::move(name),
          .meaning = std::move(meaning),
          .kind = Parameter::Kind::number,
          .default_value = default_value,
          .minimum = above,
          .maximum = maximum};
}

Parameter number_parameter_from(std::string name, std::string meaning, double minimum, double maximum,
                                double default_value) {
  Parameter p = number_parameter(std::move(name), std::move(meaning), minimum, maximum, default_value);
  p.minimum_allowed = true;
  return p;
}

Parameter boolean_parameter(std::string name, std::string meaning, bool default_value) {
  return {.name = std::move(name),
          .meaning = std::move(meaning),
          .kind = Parameter::Kind::boolean,
          .default_value = default_value};
}

Parameter choice_parameter(std::string name, std::string meaning, std::vector<std::string> choices,
                           std::optional<std::string> default_value) {
  return {.name = std::move(name),
          .meaning = std::move(meaning),
          .kind = Parameter::Kind::choice,
          .default_value = std::move(default_value),
          .choices = std::move(choices)};
}

Parameter text_parameter(std::string name, std::string meaning, std::string default_value) {
  return {.name = std::move(name),
          .meaning = std::move(meaning),
          .kind = Parameter::Kind::text,
          .default_value = std::move(default_value)};
}

Parameter dtype_parameter(const std::vector<Dtype>& dtypes) {
  std::vector<std::string> names;
  names.reserve(dtypes.size());
  for (const Dtype dtype : dtypes) names.emplace_back(name(dtype));
  return choice_parameter("dtype", "element type of the inputs", std::move(names), "f32");
}

Parameter tuned_parameter() {
  return added_later(boolean_parameter("tuned",
                                       "the fastest here of a library's algorithms, and of ways to share "
                                       "work among threads; false: the one it "
                                       "names first, which no race can choose otherwise in the next process",
                                       true));
}

Parameters with_added(const std::vector<Parameter>& known, const Parameters& given) {
  Parameters all;
  all.reserve(known.size());
  for (const Parameter& parameter : known) {
    if (const Value* value = given.find(parameter.name))
      all.set(parameter.name, *value);
    else if (!parameter.added_with.empty() && parameter.default_value)
      all.set(parameter.name, *parameter.default_value);
  }
  for (const auto& [name, value] : given.entries())
    all.set(name, value);  // those of a newer program come last
  return all;
}

std::string type_error(const std::vector<Parameter>& known, const Parameters& given) {
  for (const Parameter& parameter : known) {
    const Value* value = given.find(parameter.name);
    if (value == nullptr) continue;
    const bool is_integer = std::holds_alternative<std::int64_t>(*value);
    switch (parameter.kind) {
      case Parameter::Kind::integer:
        if (!is_integer) return fmt::format("'{}' must be an integer", parameter.name);
        break;
      case Parameter::Kind::number:
        if (!is_integer && !std::holds_alternative<double>(*value))
          return fmt::format("'{}' must be a number", parameter.name);
        break;
      case Parameter::Kind::boolean:
        if (!std::holds_alternative<bool>(*value))
          return fmt::format("'{}' must be true or false", parameter.name);
        break;
      case Parameter::Kind::choice:
      case Parameter::Kind::text:
        if (!std::holds_alternative<std::string>(*value))
          return fmt::format("'{}' must be a string", parameter.name);
        break;
    }
  }
  return "";
}

bool is_tuned(const Parameters& parameters) {
  return parameters.find("tuned") == nullptr || parameters.boolean("tuned");
}

Parameter added_later(Parameter parameter, std::string with) {
  parameter.added_with = with.empty() ? parameter.name : std::move(with);
  return parameter;
}

void Parameters::set(std::string_view name, Value value) {
  if (!entries_)
    entries_ = std::make_shared<Entries>();
  else if (entries_.use_count() > 1)
    entries_ = std::make_shared<Entries>(*entries_);
  for (auto& [known, old] : *entries_) {
    if (known == name) {
      old = std::move(value);
      return;
    }
  }
  entries_->emplace_back(name, std::move(value));
}

void Parameters::reserve(std::size_t count) {
  if (!entries_) entries_ = std::make_shared<Entries>();
  entries_->reserve(count);
}

const Parameters::Entries& Parameters::entries() const {
  static const Entries none;
  return entries_ ? *entries_ : none;
}

const Value* Parameters::find(std::string_view name) const {
  for (const auto& [known, value] : entries()) {
    if (known == name) return &value;
  }
  return nullptr;
}

namespace {

template <typename T>
const T& require(const Parameters& parameters, std::string_view name, std::string_view type) {
  const Value* value = parameters.find(name);
  if (value == nullptr) throw std::out_of_range(fmt::format("parameter '{}' is missing", name));
  const T* held = std::get_if<T>(value);
  if (held == nullptr) throw std::out_of_range(fmt::format("parameter '{}' must be {}", name, type));
  return *held;
}

}  // namespace

std::int64_t Parameters::integer(std::string_view name) const {
  return require<std::int64_t>(*this, name, "an integer");
}

double Parameters::number(std::string_view name) const {
  const Value* value = find(name);
  if (value != nullptr && std::holds_alternative<std::int64_t>(*value)) {
    return static_cast<double>(std::get<std::int64_t>(*value));
  }
  return require<double>(*this, name, "a number");
}

bool Parameters::boolean(std::string_view name) const {
  return require<bool>(*this, name, "true or false");
}

const std::string& Parameters::text(std::string_view name) const {
  return require<std::string>(*this, name, "a string");
}

Dtype Parameters::dtype() const {
  const auto dtype = parse_dtype(text("dtype"));
  if (!dtype) throw std::out_of_range(fmt::format("unknown dtype '{}'", text("dtype")));
  return *dtype;
}

std::vector<std::pair<std::string_view, const Value*>> not_at_default(const std::vector<Parameter>& known,
                                                                      const Parameters& given) {
  std::vector<std::pair<std::string_view, const Value*>> told;
  for (const Parameter& parameter : known) {
    const Value* value = given.find(parameter.name);
    if (value == nullptr || parameter.name == "dtype" || parameter.default_value == *value) continue;
    told.emplace_back(parameter.name, value);
  }
  return told;
}

std::string sweep_text(const std::vector<Parameter>& known, std::string_view moving,
                       const Parameters& smallest, const Parameters& largest) {
  std::string along;
  std::string fixed;
  for (const auto& [name, value] : not_at_default(known, largest)) {
    if (name == moving) continue;
    const Value* before = smallest.find(name);
    if (before != nullptr && *before != *value) {
      along += fmt::format(" = {}", name);
    } else {
      fixed += fmt::format(", {} {}", name, to_string(*value));
    }
  }
  return along.empty() ? fixed : fmt::format(", {}{}{}", moving, along, fixed);
}

}  // namespace breakeven
