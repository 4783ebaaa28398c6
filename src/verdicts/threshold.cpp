#include "verdicts/threshold.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace breakeven {
namespace {

std::string name_of(Lead lead, const Threshold& threshold) {
  if (lead == Lead::neither) return "neither";
  return name_of_side(threshold, lead == Lead::challenger ? 1 : 0);
}

/// "faster", or what the answer is in.
std::string_view better(Quantity in) {
  switch (in) {
    case Quantity::energy:
      return "more economical";
    case Quantity::cost:
      return "cheaper";
    case Quantity::time:
      break;
  }
  return "faster";
}

std::string interval_text(const LeadChange& change) {
  if (change.by_bisection) {
    return change.earliest == change.latest
               ? "by bisection"
               : fmt::format("by bisection: {} to {}", change.earliest, change.latest);
  }
  return change.earliest == change.latest ? "95 %: no other value"
                                          : fmt::format("95 %: {} to {}", change.earliest, change.latest);
}

/// Those of the list that were there, in its order; all of it where nobody said which were.
std::vector<std::string> measured_backends(const ThresholdContender& side) {
  std::vector<std::string> names;
  for (const BackendRecord& backend : side.backends) {
    if (backend.available) names.push_back(backend.name);
  }
  return names.empty() ? side.wanted : names;
}

bool is_wide(const LeadChange& change, double width) {
  return change.earliest != change.latest && change.interval.high / change.interval.low > 1 + width;
}

}  // namespace

std::string_view name(BreakEven::Answer answer) {
  switch (answer) {
    case BreakEven::Answer::from_value:
      return "from_value";
    case BreakEven::Answer::until_value:
      return "until_value";
    case BreakEven::Answer::always:
      return "always";
    case BreakEven::Answer::never:
      return "never";
    case BreakEven::Answer::neither:
      return "neither";
    case BreakEven::Answer::unclear:
      break;
  }
  return "unclear";
}

std::string_view name(Lead lead) {
  switch (lead) {
    case Lead::baseline:
      return "baseline";
    case Lead::challenger:
      return "challenger";
    case Lead::neither:
      break;
  }
  return "neither";
}

std::string name_of_side(const Threshold& threshold, std::size_t side) {
  const auto& sides = threshold.sides;
  const std::array<std::vector<std::string>, 2> backends{measured_backends(sides[0]),
                                                         measured_backends(sides[1])};
  const std::string names = fmt::format("{}", fmt::join(backends[side], " or "));
  return backends[0] != backends[1] ? names
                                    : fmt::format("{} on {} thread{}", names, sides[side].threads,
                                                  sides[side].threads == 1 ? "" : "s");
}

std::string in_words(const ThresholdAnswer& answer, const Threshold& threshold) {
  const BreakEven& found = answer.found;
  if (!found.last) return fmt::format("no value of {} could be measured on both sides", threshold.parameter);
  if (found.answer == BreakEven::Answer::unclear)
    return fmt::format("not clear: the time was up before all that it takes was measured, from {} to {}",
                       *found.first, *found.last);
  if (found.changes.empty()) {
    const std::string range =
        fmt::format("from {} to {}, which is all that was measured", *found.first, *found.last);
    if (found.answer == BreakEven::Answer::neither) return fmt::format("neither is ahead {}", range);
    return fmt::format("{} is {}{} {}", name_of_side(threshold, 1),
                       found.answer == BreakEven::Answer::always ? "" : "never ", better(answer.in), range);
  }
  const LeadChange& last = found.changes.back();
  std::string said = fmt::format(
      "{} is {} from {} on ({}), as far as was measured, to {}", name_of(last.above, threshold),
      last.above == Lead::neither ? "ahead" : better(answer.in), last.from, interval_text(last), *found.last);
  for (std::size_t i = found.changes.size(); i-- > 0;) {
    said += fmt::format("; below that {} is", name_of(found.changes[i].below, threshold));
    if (i > 0)
      said +=
          fmt::format(", from {} on ({})", found.changes[i - 1].from, interval_text(found.changes[i - 1]));
  }
  return said;
}

int exit_status(const Threshold& threshold) {
  const auto any = [&](const auto& holds) {
    return std::any_of(threshold.answers.begin(), threshold.answers.end(), holds);
  };
  if (any([](const ThresholdAnswer& a) {
        return std::any_of(a.points.begin(), a.points.end(), [](const ThresholdPoint& p) { return p.wrong; });
      }))
    return 1;
  if (any([](const ThresholdAnswer& a) { return !a.found.last; })) return 4;
  if (any([&](const ThresholdAnswer& a) {
        return a.found.answer == BreakEven::Answer::unclear || a.found.answer == BreakEven::Answer::neither ||
               std::any_of(a.found.changes.begin(), a.found.changes.end(),
                           [&](const LeadChange& c) { return is_wide(c, threshold.width); });
      }))
    return 3;
  return 0;
}

}  // namespace breakeven
