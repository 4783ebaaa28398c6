#include "reports/charts/threshold_chart.h"

#include <fmt/format.h>

#include "reports/charts/parts.h"
#include "reports/document/names.h"
#include "reports/document/numbers.h"
#include "reports/text.h"

namespace breakeven {
namespace {

std::string text_of_lead(Quantity in) {
  return in == Quantity::energy ? "times as economical"
         : in == Quantity::cost ? "times as cheap"
                                : "times as fast";
}

}  // namespace

std::string question_of(const ThresholdAnswer& answer) {
  const std::string work = work_title(answer.title);
  return answer.in == Quantity::time ? work : fmt::format("{}, by {}", work, name(answer.in));
}

Chart threshold_chart(const Threshold& threshold, const ThresholdAnswer& answer) {
  const std::string challenger = printable(name_of_side(threshold, 1));
  Chart chart{
      .name = slug_of(fmt::format("threshold {}{}", answer.title,
                                  answer.in == Quantity::time ? "" : fmt::format(" in {}", name(answer.in)))),
      .title = fmt::format("{}: how far {} is ahead of {}", question_of(answer), challenger,
                           printable(name_of_side(threshold, 0))),
      .x = parameter_axis(threshold.parameter),
      .y = {.label = text_of_lead(answer.in), .unit = ChartUnit::ratio},
      .reference = 1};
  for (const ThresholdPoint& point : answer.points) {
    if (const auto ratio = point.ratio())
      add_point(chart, challenger, point_at(static_cast<double>(point.value), amount_over(1, *ratio)));
  }
  if (chart.series.empty()) return chart;
  for (const LeadChange& change : answer.found.changes) {
    chart.marks.push_back({.x = static_cast<double>(change.from),
                           .low = static_cast<double>(change.earliest),
                           .high = static_cast<double>(change.latest),
                           .label = fmt::format("from {}", count_text(static_cast<double>(change.from)))});
  }
  return finished(std::move(chart));
}

}  // namespace breakeven
