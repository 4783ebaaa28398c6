#include "reports/document/ladders.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "reports/charts/parts.h"
#include "reports/document/names.h"
#include "reports/text.h"
#include "verdicts/roofline.h"

namespace breakeven {
namespace {

/// The parameters that can be turned on or off, and the others that raise a rate.
constexpr std::array steps_of_optimisation{"tuned", "fused", "graph", "batch"};
using StepValues = std::map<std::string, std::set<Value>>;

/// A key that is equal for cases that differ only in these parameters and in their dtype; empty for ceilings.
std::string ladder_key(const Timed& timed) {
  if (is_ceiling(*timed.result)) return "";
  Parameters rest = timed.result->parameters;
  for (const char* name : steps_of_optimisation) {
    if (rest.find(name) != nullptr) rest.set(name, std::int64_t{0});
  }
  return fmt::format("{}|{}", timed.result->op, rest_of(rest, "dtype", false));
}

/// The values of the parameters that have several.
StepValues varying_steps(const Group& cases) {
  StepValues values;
  for (const Timed* timed : cases) {
    for (const char* name : steps_of_optimisation) {
      if (const Value* value = timed->result->parameters.find(name)) values[name].insert(*value);
    }
  }
  std::erase_if(values, [](const auto& of) { return of.second.size() < 2; });
  return values;
}

/// The name of a case's step: "bf16 + tuned + fused, batch 64". It includes only what varies.
std::string step_name(const CaseResult& c, const StepValues& varying) {
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

/// The index of the step with this name, which is added if it is missing.
std::size_t index_of_step(std::vector<std::string>& steps, const std::string& name) {
  auto at = std::ranges::find(steps, name);
  if (at == steps.end()) at = steps.insert(at, name);
  return static_cast<std::size_t>(at - steps.begin());
}

Ladder ladder_of(const Group& cases, const StepValues& varying) {
  std::vector<const CaseResult*> results;
  results.reserve(cases.size());
  for (const Timed* timed : cases) results.push_back(timed->result);
  const Unit unit = unit_of(results);
  const CaseResult& first = *results.front();
  Ladder ladder{.name = first.op, .work = activity_of(first), .unit = unit.label};
  if (const Value* network = first.parameters.find("network")) ladder.name += " " + to_string(*network);
  for (const Timed* timed : cases) {
    const CaseResult& c = *timed->result;
    const Estimate rate = amount_over(unit.of_run(c), c.seconds->estimate());
    if (!std::isfinite(rate.value) || !(rate.value > 0)) continue;
    const std::size_t step = index_of_step(ladder.steps, step_name(c, varying));
    at_key(ladder.backends, timed->backend).push_back({.step = step, .timed = timed, .rate = rate});
  }
  for (auto& [backend, rungs] : ladder.backends) std::ranges::stable_sort(rungs, {}, &Rung::step);
  return ladder;
}

}  // namespace

std::vector<Ladder> ladders_of(const std::vector<Timed>& all) {
  constexpr std::size_t fewest_steps = 3;
  const auto is_option = [](const auto& of) { return std::holds_alternative<bool>(*of.second.begin()); };
  std::vector<Ladder> found;
  for (const Group& cases : groups_of(all, ladder_key)) {
    const StepValues varying = varying_steps(cases);
    if (std::ranges::none_of(varying, is_option)) continue;
    Ladder ladder = ladder_of(cases, varying);
    if (ladder.steps.size() >= fewest_steps && ladder.steps.size() <= most_bars)
      found.push_back(std::move(ladder));
  }
  return found;
}

}  // namespace breakeven
