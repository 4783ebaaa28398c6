#include "plan/sweep.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "plan/shape_file.h"
#include "plan/suggestion.h"

namespace breakeven {
namespace {

using Kind = Parameter::Kind;

/// Reads a bound of a range: a valid value of the parameter.
double read_bound(const Json& range, const Place& place, const std::string& key, const Parameter& parameter,
                  const ValueReader& reader) {
  if (!range.contains(key)) place.fail("'{}' is missing from the range; add it", key);
  const Value value = reader.value(range[key], place / key, parameter);
  const auto* integer = std::get_if<std::int64_t>(&value);
  return integer != nullptr ? static_cast<double>(*integer) : std::get<double>(value);
}

double read_above(const Json& range, const Place& place, const std::string& key, double least, bool integer) {
  const Json& json = range[key];
  if (!json.is_number() || !(json.get<double>() > least) || (integer && !json.is_number_integer())) {
    (place / key)
        .fail("is {}; it must be {} above {}", shown(json), integer ? "an integer" : "a number", least);
  }
  return json.get<double>();
}

Range read_range(const Json& json, const Place& place, const Parameter& parameter,
                 const ValueReader& reader) {
  if (parameter.kind != Kind::integer && parameter.kind != Kind::number)
    place.fail("{} is no number and cannot be a range; give a list", parameter.name);
  require_object(json, place, {"from", "to", "factor", "step"});
  Range range;
  range.integers = parameter.kind == Kind::integer;
  range.from = read_bound(json, place, "from", parameter, reader);
  const double to = read_bound(json, place, "to", parameter, reader);
  if (json.contains("factor") == json.contains("step"))
    place.fail("a range needs either 'factor' or 'step'; give one of them");
  if (range.from > to) place.fail("the range is empty: it goes from {} to {}; swap them", range.from, to);
  // Tolerates a last value that rounding moves slightly past `to`.
  constexpr double slack = 1e-9;
  if (json.contains("factor")) {
    range.factor = read_above(json, place, "factor", 1, false);
    if (range.from <= 0)
      (place / "from").fail("is not positive, so that no factor makes it grow; use 'step'");
    range.count = std::floor(std::log(to / range.from) / std::log(range.factor) + slack) + 1;
  } else {
    range.step = read_above(json, place, "step", 0, range.integers);
    range.count = std::floor((to - range.from) / range.step + slack) + 1;
  }
  return range;
}

Axis read_axis(const Json& json, const Place& place, const Parameter& parameter, const ValueReader& reader) {
  Axis axis{.place = place, .written = Axis::Written::value, .columns = {&parameter}};
  if (json.is_object()) {
    axis.written = Axis::Written::range;
    axis.range = read_range(json, place, parameter, reader);
    return axis;
  }
  if (!json.is_array()) {
    axis.rows.push_back({reader.cell(json, place, parameter)});
    return axis;
  }
  axis.written = Axis::Written::list;
  if (json.empty()) place.fail("is an empty list; give it a value, or leave the key out");
  if (json.size() > most_cases)
    place.fail("has {} values, and at most {} cases are possible; shorten it", json.size(), most_cases);
  axis.rows.reserve(json.size());
  for (std::size_t i = 0; i < json.size(); ++i)
    axis.rows.push_back({reader.cell(json[i], place / i, parameter)});
  return axis;
}

const Workload& read_op(const Json& entry, const Place& place) {
  const std::string op = require_text(entry, place, "op");
  const Workload* workload = find_workload(op);
  if (workload == nullptr) {
    std::vector<std::string> known;
    for (const auto& each : workloads()) known.emplace_back(each->op());
    (place / "op")
        .fail("there is no operation {}; there are {}{}", shown(entry["op"]), fmt::join(known, ", "),
              did_you_mean(op, known));
  }
  return *workload;
}

/// Throws ConfigError if a parameter is given twice: by a key and by a column of a shape file.
void require_distinct(const std::vector<Axis>& axes, const Place& place) {
  std::vector<const Parameter*> seen;
  for (const Axis& axis : axes) {
    for (const Parameter* column : axis.columns) {
      if (column == nullptr) continue;
      if (std::ranges::find(seen, column) != seen.end())
        (place / column->name).fail("is also a column of the shape file; remove one of them");
      seen.push_back(column);
    }
  }
}

/// One combination of the axes: the index of a row on each.
class Combination {
 public:
  explicit Combination(const Sweep& sweep) : sweep_(sweep), rows_(sweep.axes.size(), 0) {}

  /// Advances to the next combination, the last axis first. Returns false after the last combination.
  bool next() {
    for (std::size_t i = rows_.size(); i-- > 0;) {
      if (static_cast<double>(++rows_[i]) < sweep_.axes[i].size()) return true;
      rows_[i] = 0;
    }
    return false;
  }

  Case make() const {
    Parameters given;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const Axis& axis = sweep_.axes[i];
      for (std::size_t j = 0; j < axis.columns.size(); ++j) {
        if (axis.columns[j] == nullptr) continue;
        Cell cell = axis.cell(rows_[i], j);
        if (auto* value = std::get_if<Value>(&cell)) {
          given.set(axis.columns[j]->name, std::move(*value));
        } else {
          given.set(axis.columns[j]->name, follow(*axis.columns[j], std::get<Reference>(cell)));
        }
      }
    }
    try {
      return make_case(*sweep_.workload, given);
    } catch (const InvalidCase& e) {
      place_of(e.parameter()).fail(e.what());
    }
  }

  std::string label() const {
    std::string label;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (!sweep_.axes[i].labels.empty()) label += sweep_.axes[i].labels[rows_[i]];
    }
    return label;
  }

 private:
  struct Position {
    const Axis* axis = nullptr;
    std::size_t row = 0;
    std::size_t column = 0;
  };
  std::optional<Position> find(const std::string& name) const {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const Axis& axis = sweep_.axes[i];
      for (std::size_t j = 0; j < axis.columns.size(); ++j) {
        if (axis.columns[j] != nullptr && axis.columns[j]->name == name) return Position{&axis, rows_[i], j};
      }
    }
    return std::nullopt;
  }
  Place place_of(const std::string& name) const {
    const auto position = find(name);
    return position ? position->axis->place_of(position->row, position->column) : sweep_.place;
  }

  /// Returns the value at the end of a chain of references.
  Value follow(const Parameter& first, Reference reference) const {
    for (std::size_t length = 0; length <= sweep_.workload->parameters().size(); ++length) {
      const std::string& name = reference.parameter;
      const auto position = find(name);
      if (!position) {
        const Parameter* parameter = find_parameter(sweep_.workload->parameters(), name);
        if (parameter->default_value) return *parameter->default_value;
        place_of(first.name).fail("refers to {}, which is not given; add it", name);
      }
      const Cell cell = position->axis->cell(position->row, position->column);
      if (const auto* value = std::get_if<Value>(&cell)) return *value;
      reference = std::get<Reference>(cell);
    }
    place_of(first.name).fail("refers to a parameter that refers back to it; give one of them a value");
  }

  const Sweep& sweep_;
  std::vector<std::size_t> rows_;
};

/// True if the parameter is a column of the axis. A column without a parameter holds labels.
bool is_of(const Axis& axis, std::string_view parameter) {
  const Parameter* const first = axis.columns.front();
  return axis.columns.size() == 1 && first != nullptr && first->name == parameter;
}

/// An axis with one of the rows of `axis`.
Axis narrowed(const Axis& axis, std::size_t row) {
  Axis one{
      .place = axis.place_of(row, 0), .written = Axis::Written::value, .columns = axis.columns, .rows = {{}}};
  for (std::size_t column = 0; column < axis.columns.size(); ++column)
    one.rows.front().push_back(axis.cell(row, column));
  if (!axis.labels.empty()) one.labels = {axis.labels[row]};
  return one;
}

}  // namespace

Value Range::value(std::size_t index) const {
  const auto i = static_cast<double>(index);
  const double value = step > 0 ? from + i * step : from * std::pow(factor, i);
  if (integers) return static_cast<std::int64_t>(std::llround(value));
  return value;
}

Place Axis::place_of(std::size_t row, std::size_t column) const {
  switch (written) {
    case Written::value:
    case Written::range:
      return place;
    case Written::list:
      return place / row;
    case Written::shapes:
      return place / row / column;
  }
  return place;
}

const Axis* Sweep::axis_of(std::string_view parameter) const {
  const auto found = std::ranges::find_if(axes, [&](const Axis& axis) { return is_of(axis, parameter); });
  return found == axes.end() ? nullptr : &*found;
}

Sweep Sweep::with(std::string_view parameter, const Value& value) const {
  Sweep one = *this;
  for (Axis& axis : one.axes) {
    if (!is_of(axis, parameter)) continue;
    axis.written = Axis::Written::value;
    axis.range.reset();
    axis.rows = {{Cell{value}}};
  }
  return one;
}

std::vector<Sweep> Sweep::apart_from(std::string_view parameter) const {
  std::vector<Sweep> all{{.place = place, .workload = workload}};
  for (const Axis& axis : axes) {
    const bool stays = is_of(axis, parameter);
    std::vector<Sweep> longer;
    for (const Sweep& sweep : all) {
      for (std::size_t row = 0; row < (stays ? 1 : static_cast<std::size_t>(axis.size())); ++row) {
        longer.push_back(sweep);
        longer.back().axes.push_back(stays ? axis : narrowed(axis, row));
      }
    }
    all = std::move(longer);
  }
  return all;
}

double Sweep::size() const {
  double product = 1;
  for (const Axis& axis : axes) product *= axis.size();
  return product;
}

std::vector<PlannedCase> Sweep::cases() const {
  std::vector<PlannedCase> all;
  all.reserve(static_cast<std::size_t>(size()));
  Combination combination(*this);
  do {
    all.push_back({.problem = combination.make(), .label = combination.label()});
  } while (combination.next());
  return all;
}

Sweep read_sweep(const Json& entry, const Place& place, const std::filesystem::path& folder) {
  if (!entry.is_object()) place.fail("is {}; it must be an object, {{...}}", shown(entry));
  const Workload& workload = read_op(entry, place);
  std::vector<std::string> known{"op", "shapes"};
  for (const std::string& name : names_in(workload.parameters())) known.push_back(name);
  require_object(entry, place, known);

  Sweep sweep{.place = place, .workload = &workload};
  const ValueReader reader{.folder = folder, .parameters = workload.parameters()};
  for (const auto& [key, value] : entry.items()) {
    if (key == "op") continue;
    if (key == "shapes") {
      sweep.axes.push_back(read_shapes(folder / require_text(entry, place, "shapes"), workload, folder));
    } else {
      sweep.axes.push_back(
          read_axis(value, place / key, *find_parameter(workload.parameters(), key), reader));
    }
  }
  require_distinct(sweep.axes, place);
  return sweep;
}

Share read_share(const Json& entry, const Place& place, const std::filesystem::path& folder) {
  Json bare = entry;
  if (bare.is_object()) {
    bare.erase("weight");
    bare.erase("or_dtype");
  }
  Share share{.sweep = read_sweep(bare, place, folder)};
  if (entry.contains("weight"))
    share.weight =
        require_above_zero(entry["weight"], place / "weight", ": how often each of the cases runs");
  if (!entry.contains("or_dtype")) return share;
  const Json& others = entry["or_dtype"];
  const Place at = place / "or_dtype";
  if (!others.is_array() || others.empty())
    at.fail("is {}; it must be a list of dtypes that are acceptable, too, such as [\"bf16\"]", shown(others));
  if (!bare.contains("dtype") || bare["dtype"].is_structured())
    at.fail("needs one 'dtype' that these may stand in for; give each dtype an entry of its own");
  for (std::size_t i = 0; i < others.size(); ++i) {
    if (others[i] == bare["dtype"]) (at / i).fail("is the workload's own dtype; remove it");
    Json other = bare;
    other["dtype"] = others[i];
    share.instead.push_back(read_sweep(other, at / i, folder));
  }
  return share;
}

}  // namespace breakeven
