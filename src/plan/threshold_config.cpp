#include "plan/threshold_config.h"

#include <fmt/format.h>

#include <algorithm>

#include "plan/suggestion.h"

namespace breakeven {
namespace {

ThresholdSide read_side(const Json& json, const Place& place) {
  require_object(json, place, {"backends", "threads", "parameters", "price"});
  if (!json.contains("backends"))
    place.fail("'backends' is missing; add it: a list of names; the fastest of them counts at every value");
  ThresholdSide side{.backends = read_backends(json["backends"], place / "backends")};
  if (json.contains("threads"))
    side.threads =
        static_cast<int>(std::min<std::int64_t>(require_whole(json["threads"], place / "threads"), 1 << 16));
  if (json.contains("price")) side.price = read_hourly_price(json["price"], place / "price");
  return side;
}

/// A workload in which the values of one side replace the common ones.
Json of_side(Json workload, const Json& side, const Place& place, const std::string& asked) {
  if (!side.contains("parameters")) return workload;
  const Json& parameters = side["parameters"];
  if (!parameters.is_object())
    (place / "parameters").fail("is {}; it must be an object, {{...}}", shown(parameters));
  for (const auto& [name, value] : parameters.items()) {
    if (name == asked)
      (place / "parameters" / name).fail("is the parameter that the threshold looks for; leave it out");
    if (value.is_structured())
      (place / "parameters" / name).fail("must be one value, which this side has in place of the workload's");
    workload[name] = value;
  }
  return workload;
}

/// Reads a metric, or a list of metrics.
std::vector<Metric> read_quantities(const Json& json, const Place& place) {
  constexpr const char* choices = R"(it must be "time", "energy" or "cost", or a list of them)";
  const Json list = json.is_array() ? json : Json::array({json});
  if (list.empty()) place.fail("is []; {}", choices);
  std::vector<Metric> all;
  for (const Json& one : list) {
    const auto metric = one.is_string() ? parse_name<Metric>(one.get<std::string>()) : std::nullopt;
    if (!metric) place.fail("is {}; {}", shown(json), choices);
    if (std::ranges::find(all, *metric) != all.end()) place.fail("has {} twice; remove one", shown(one));
    all.push_back(*metric);
  }
  return all;
}

/// Throws ConfigError if a comparison by cost lacks the price of an hour of either side, or if the currencies
/// differ.
void check_prices(const ThresholdConfig& config, const Place& place) {
  if (std::ranges::find(config.in, Metric::cost) == config.in.end()) return;
  for (std::size_t side = 0; side < 2; ++side) {
    if (!config.sides[side].price)
      (place / threshold_sides[side])
          .fail(
              R"('price' is missing, and the cost is asked for; add it, as in {"per_hour": 2.95, "currency": "USD", "source": "where it says so", "date": "2026-10-01"})");
  }
  const std::string& first = config.sides[0].price->from.currency;
  const std::string& second = config.sides[1].price->from.currency;
  if (first != second)
    (place / threshold_sides[1] / "price" / "currency")
        .fail("is '{}', and the {}'s is '{}'; convert one of the prices", second, threshold_sides[0], first);
}

/// A title such as "matmul, m = n = k, f32"; "bf16 against f32" if the dtypes of the sides differ.
std::string title_of(const ThresholdQuestion& question) {
  const Case largest = question.at(0, question.to).problem;
  const std::string_view baseline = name(largest.dtype());
  const std::string_view challenger = name(question.at(1, question.to).problem.dtype());
  return fmt::format(
      "{}{}, {}", largest.workload->op(),
      sweep_text(largest.workload->parameters(), question.parameter,
                 question.at(0, question.from).problem.parameters, largest.parameters),
      baseline == challenger ? std::string(baseline) : fmt::format("{} against {}", challenger, baseline));
}

/// Reads the ends of the range to search, which must be of whole numbers.
void read_range_into(ThresholdQuestion& question, const Axis& axis) {
  if (!axis.range || !axis.range->integers)
    axis.place.fail(
        R"(is asked for, and must be a range of whole numbers, as in {"from": 16, "to": 4096, "factor": 2})");
  question.from = std::get<std::int64_t>(axis.range->value(0));
  question.to = std::get<std::int64_t>(axis.range->value(static_cast<std::size_t>(axis.range->count) - 1));
  if (axis.range->factor > 0) question.factor = axis.range->factor;
  if (question.from < 1)
    (axis.place / "from").fail("is {}; a threshold is looked for above 0", question.from);
}

void check_precision(const ThresholdQuestion& question, const Place& place) {
  const Case baseline = question.at(0, question.from).problem;
  const Case challenger = question.at(1, question.from).problem;
  if (baseline.dtype() == challenger.dtype()) return;
  place.fail(
      "compares {} with {}, which do not compute the same; if that is the question, say so: "
      R"("unlike_precision": true)",
      name(baseline.dtype()), name(challenger.dtype()));
}

/// Reads the compared metrics and the requested precision.
void read_options_into(ThresholdConfig& config, const Json& asked, const Place& place) {
  config.parameter = require_text(asked, place, "parameter");
  if (asked.contains("in")) config.in = read_quantities(asked["in"], place / "in");
  if (asked.contains("multiple")) config.multiple = require_whole(asked["multiple"], place / "multiple");
  if (asked.contains("width")) {
    const Json& width = asked["width"];
    if (!width.is_number() || !(width.get<double>() > 0 && width.get<double>() < 1))
      (place / "width").fail("is {}; it must be a fraction above 0 and below 1, as in 0.04", shown(width));
    config.width = width.get<double>();
  }
  if (asked.contains("unlike_precision")) {
    if (!asked["unlike_precision"].is_boolean())
      (place / "unlike_precision").fail("is {}; it must be true or false", shown(asked["unlike_precision"]));
    config.unlike_precision = asked["unlike_precision"].get<bool>();
  }
  for (std::size_t side = 0; side < 2; ++side) {
    if (!asked.contains(threshold_sides[side]))
      place.fail(R"('{}' is missing; add it, as in {{"backends": ["openblas"]}})", threshold_sides[side]);
    config.sides[side] = read_side(asked[threshold_sides[side]], place / threshold_sides[side]);
  }
  check_prices(config, place);
}

/// One side's sweeps of a workload, each over the parameter alone.
std::vector<Sweep> read_sweeps(const Json& workload, const Json& side, const Place& place,
                               const Place& side_place, const std::string& parameter,
                               const std::filesystem::path& folder) {
  const Sweep sweep = read_share(of_side(workload, side, side_place, parameter), place, folder).sweep;
  if (sweep.axis_of(parameter) == nullptr)
    place.fail("has no range of '{}', which the threshold looks for{}", parameter,
               did_you_mean(parameter, names_in(sweep.workload->parameters())));
  if (sweep.size() > static_cast<double>(most_cases))
    (side_place / "parameters")
        .fail("make {:.0f} cases of a workload, and at most {} are possible; shorten a list", sweep.size(),
              most_cases);
  return sweep.apart_from(parameter);
}

ThresholdQuestion make_question(const ThresholdConfig& config, const Sweep& baseline, const Sweep& challenger,
                                const Place& place) {
  ThresholdQuestion question{.parameter = config.parameter, .sides = {baseline, challenger}};
  read_range_into(question, *question.sides[0].axis_of(config.parameter));
  if (!config.unlike_precision) check_precision(question, place);
  question.title = title_of(question);  // throws if a side does not allow the largest value
  return question;
}

}  // namespace

PlannedCase ThresholdQuestion::at(std::size_t side, std::int64_t value) const {
  return sides[side].with(parameter, value).cases().front();
}

ThresholdConfig read_threshold_config(const std::filesystem::path& path) {
  const JsonFile file = read_json(path, FileKind::config);
  const Config whole = config_from(file, path);  // throws whatever `run` would refuse
  const Json& document = file.document;
  const Place root(path.string());
  const Place place = root / "threshold";
  if (!document.contains("threshold"))
    root.fail(
        R"('threshold' is missing; add it, as in {"parameter": "m", "baseline": {"backends": ["openblas"]}, "challenger": {"backends": ["cuda"]}})");
  const Json& asked = document["threshold"];
  require_object(asked, place,
                 {"parameter", "in", "multiple", "width", "baseline", "challenger", "unlike_precision"});
  ThresholdConfig config;
  config.title = whole.title;
  config.measure = whole.measure;
  config.json = whole.json;
  read_options_into(config, asked, place);
  const Json& workloads = document["workloads"];
  for (std::size_t i = 0; i < workloads.size(); ++i) {
    std::array<std::vector<Sweep>, 2> sweeps;
    for (std::size_t side = 0; side < 2; ++side) {
      sweeps[side] = read_sweeps(workloads[i], asked[threshold_sides[side]], root / "workloads" / i,
                                 place / threshold_sides[side], config.parameter, path.parent_path());
    }
    if (sweeps[0].size() != sweeps[1].size())
      place.fail(
          "gives one side fewer combinations than the other; give parameters of a side that the workload has "
          "one value of");
    for (std::size_t q = 0; q < sweeps[0].size(); ++q)
      config.questions.push_back(make_question(config, sweeps[0][q], sweeps[1][q], place));
  }
  return config;
}

}  // namespace breakeven
