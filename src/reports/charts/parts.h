// Building blocks for charts of results.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/charts/chart.h"
#include "results/result.h"
#include "statistics/estimate.h"

namespace breakeven {

inline constexpr std::size_t most_bars = 24;  // the most problems in one chart that are still readable

/// The unit of a rate that is compared.
struct Unit {
  const char* label;
  double (*of_run)(const CaseResult&);  // the amount of a run, in the label's unit times seconds
};

/// The unit for all results: images per second if there are any, else operations if some result has more of
/// them than bytes, else bytes.
Unit unit_of(const std::vector<const CaseResult*>& all);

/// Divides `amount` by an estimated time, which gives a rate. The longest time gives the lowest rate.
Estimate amount_over(double amount, const Estimate& estimate);

/// Converts the estimate into a point; empty if it is unknown or not a number above 0.
std::optional<ChartPoint> point_at(double x, const std::optional<Estimate>& estimate);

/// "3 more problems are left out."; empty for none.
std::string left_out_text(std::size_t more, std::string_view one, std::string_view several);

/// The x of a category. Adds the category if it is missing.
double category(Chart& chart, const std::string& name);

/// Adds the point, if there is one, to the series with this label. Adds the series if it is missing.
void add_point(Chart& chart, const std::string& label, const std::optional<ChartPoint>& point,
               bool is_gpu = false);

/// A result whose rate is a point of a chart.
struct Rated {
  double x = 0;
  std::string label;
  const CaseResult* result = nullptr;
};
/// Adds the rates to the chart, sets the unit of y, and finishes it.
Chart rate_chart(Chart chart, const std::vector<Rated>& rates);

/// Sorts the points of each series and chooses the scales: logarithmic if the values span more than an order
/// of magnitude. The values of x become its ticks.
Chart finished(Chart chart);

}  // namespace breakeven
