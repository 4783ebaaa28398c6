#include "reports/charts/ladder_charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "reports/charts/parts.h"
#include "reports/document/descriptions.h"
#include "reports/document/lower_precision.h"
#include "reports/document/names.h"
#include "reports/text.h"
#include "verdicts/roofline.h"

namespace breakeven {
namespace {

/// What can be turned on or off, and what else makes a rate higher.
constexpr std::array steps_of_optimisation{"tuned", "fused", "graph", "batch"};

/// The rung of a ladder that a case is on: "bf16 + tuned + fused, batch 64", of what varies in it.
std::string rung_of(const CaseResult& c, const std::set<std::string>& varying) {
  std::string text = printable(c.dtype);
  for (const char* name : steps_of_optimisation) {
    const Value* value = c.parameters.find(name);
    if (value == nullptr || !varying.contains(name)) continue;
    if (const bool* on = std::get_if<bool>(value)) {
      if (*on) text += fmt::format(" + {}", name);
    } else {
      text += fmt::format(", {} {}", name, printable(to_string(*value)));
    }
  }
  return text;
}

/// Cases that differ in those and in their dtype alone, and in one that is on or off.
struct Ladder {
  std::vector<const Timed*> members;
  std::map<std::string, std::set<Value>> values;  // by parameter

  std::set<std::string> varying() const {
    std::set<std::string> names;
    for (const auto& [name, seen] : values) {
      if (seen.size() > 1) names.insert(name);
    }
    return names;
  }
  bool is_one() const {
    return std::any_of(values.begin(), values.end(), [](const auto& of) {
      return of.second.size() > 1 && std::holds_alternative<bool>(*of.second.begin());
    });
  }
};

std::vector<Ladder> ladders_of(const std::vector<Timed>& all) {
  std::map<std::string, std::size_t> index;
  std::vector<Ladder> found;
  for (const Timed& timed : all) {
    const CaseResult& c = *timed.result;
    if (is_ceiling(c)) continue;
    Parameters rest = c.parameters;
    for (const char* name : steps_of_optimisation) {
      if (rest.find(name) != nullptr) rest.set(name, std::int64_t{0});
    }
    const auto [at, is_new] =
        index.try_emplace(fmt::format("{}|{}", c.op, rest_of(rest, "dtype", false)), found.size());
    if (is_new) found.emplace_back();
    Ladder& ladder = found[at->second];
    ladder.members.push_back(&timed);
    for (const char* name : steps_of_optimisation) {
      if (const Value* value = c.parameters.find(name)) ladder.values[name].insert(*value);
    }
  }
  std::erase_if(found, [](const Ladder& ladder) { return !ladder.is_one(); });
  return found;
}

/// The rate of each step of optimisation, in the order of the results; without bars where there are too few
/// or too many.
Chart ladder_chart(const Ladder& ladder) {
  constexpr std::size_t fewest_rungs = 3;
  const CaseResult& first = *ladder.members.front()->result;
  std::vector<const CaseResult*> members(ladder.members.size());
  std::transform(ladder.members.begin(), ladder.members.end(), members.begin(),
                 [](const Timed* timed) { return timed->result; });
  const Unit unit = unit_of(members);
  const std::set<std::string> varying = ladder.varying();
  std::vector<std::string> what{first.op};
  if (const Value* network = first.parameters.find("network")) what.push_back(to_string(*network));
  Chart chart{.name = slug_of(fmt::format("{} steps of optimisation", fmt::join(what, " "))),
              .title = fmt::format("Steps of optimisation: {}, {}",
                                   printable(fmt::format("{}", fmt::join(what, " "))), unit.label),
              .kind = Chart::Kind::bars,
              .x = {},
              .y = {.label = unit.label},
              .categories = {},
              .series = {}};
  SeriesByLabel series;
  for (const Timed* timed : ladder.members) {
    const std::string rung = rung_of(*timed->result, varying);
    auto at = std::find(chart.categories.begin(), chart.categories.end(), rung);
    if (at == chart.categories.end()) at = chart.categories.insert(at, rung);
    const auto point = rate_at(static_cast<double>(at - chart.categories.begin()), *timed->result, unit);
    if (point) series.add(timed->backend, *point, timed->is_gpu());
  }
  if (chart.categories.size() >= fewest_rungs && chart.categories.size() <= most_bars)
    chart.series = series.take();
  choose_scales(chart);
  return chart;
}

}  // namespace

Chart lower_precision_chart(const std::vector<Timed>& all) {
  Chart chart{.name = "lower-precision",
              .title = "How many times as fast as f32: mean and range over the problems",
              .kind = Chart::Kind::bars,
              .x = {},
              .y = {.label = "times as fast as f32", .unit = ChartUnit::ratio},
              .categories = {},
              .series = {},
              .reference = 1};
  SeriesByLabel series;
  for (const OverF32& one : over_f32(all)) {
    const std::string dtype = printable(one.dtype);
    auto at = std::find(chart.categories.begin(), chart.categories.end(), dtype);
    if (at == chart.categories.end()) at = chart.categories.insert(at, dtype);
    const bool is_gpu = one.device != "cpu";
    series.add(capitalised(plural_of(one.op)) + (is_gpu ? " on the GPU" : ""),
               {.x = static_cast<double>(at - chart.categories.begin()),
                .y = one.mean,
                .low = one.least,
                .high = one.most},
               is_gpu);
  }
  chart.series = series.take();
  choose_scales(chart);
  return chart;
}

std::vector<Chart> ladder_charts(const std::vector<Timed>& all, std::set<const CaseResult*>& shown) {
  std::vector<Chart> made;
  for (const Ladder& ladder : ladders_of(all)) {
    Chart chart = ladder_chart(ladder);
    if (chart.series.empty()) continue;
    for (const Timed* timed : ladder.members) shown.insert(timed->result);
    made.push_back(std::move(chart));
  }
  return made;
}

}  // namespace breakeven
