// What charts of results are put together of.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "reports/charts/chart.h"
#include "results/result.h"
#include "statistics/estimate.h"

namespace breakeven {

inline constexpr std::size_t most_bars = 24;  // of problems side by side, that people can read

/// What a user compares.
struct Unit {
  const char* label;
  double (*of_run)(const CaseResult&);  // in the label's unit times seconds
};

/// Images a second where there are any, operations where they are more than the bytes in some of them, else
/// bytes.
Unit unit_of(const std::vector<const CaseResult*>& all);

/// `amount` over an estimate: a rate, of a time. The longest time gives the lowest rate.
Estimate amount_over(double amount, const Estimate& estimate);

/// The estimate as a point; empty if it is not known, or is no number above 0.
std::optional<ChartPoint> point_at(double x, const std::optional<Estimate>& estimate);

/// The axis of a parameter's values.
ChartAxis parameter_axis(const std::string& parameter);

/// The x of a category; adds the category if it is missing.
double category(Chart& chart, const std::string& name);

/// Adds the point, if there is one, to the series with this label; adds the series if it is missing.
void add_point(Chart& chart, const std::string& label, const std::optional<ChartPoint>& point,
               bool is_gpu = false);

/// A result whose rate is a point of a chart.
struct Rated {
  double x = 0;
  std::string label;
  const CaseResult* result = nullptr;
};
/// Adds the rates to the chart, whose y is their unit, and finishes it.
Chart rate_chart(Chart chart, const std::vector<Rated>& rates);

/// Sorts the points of each series, and chooses the scales: logarithmic where the values go through more than
/// an order of magnitude; the values of x as ticks.
Chart finished(Chart chart);

/// Groups of equal key, in the order in which the keys first appear. An empty key leaves an element out.
template <typename T, typename KeyOf>
std::vector<std::vector<const T*>> groups_of(const std::vector<T>& all, KeyOf key_of) {
  std::map<std::string, std::size_t> index;
  std::vector<std::vector<const T*>> groups;
  for (const T& one : all) {
    const std::string key = key_of(one);
    if (key.empty()) continue;
    const auto [at, is_new] = index.try_emplace(key, groups.size());
    if (is_new) groups.emplace_back();
    groups[at->second].push_back(&one);
  }
  return groups;
}

}  // namespace breakeven
