// What charts of results are put together of.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
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

/// Nothing where it is no number above 0.
std::optional<ChartPoint> point_at(double x, const Estimate& estimate);

/// As a rate: of the longest time the lowest. Nothing where it is no number.
std::optional<ChartPoint> rate_at(double x, const CaseResult& c, const Unit& unit);

/// Logarithmic where the values go through more than an order of magnitude; the values of x as ticks.
void choose_scales(Chart& chart);

/// Series by label, in the order of the results, their points by x.
class SeriesByLabel {
 public:
  void add(const std::string& label, const ChartPoint& point, bool is_gpu = false) {
    const auto [index, is_new] = index_.try_emplace(label, all_.size());
    if (is_new) all_.push_back({.label = label, .points = {}, .is_gpu = is_gpu});
    all_[index->second].points.push_back(point);
  }
  std::vector<ChartSeries> take() {
    for (ChartSeries& series : all_) {
      std::stable_sort(series.points.begin(), series.points.end(),
                       [](const ChartPoint& a, const ChartPoint& b) { return a.x < b.x; });
    }
    return std::move(all_);
  }

 private:
  std::map<std::string, std::size_t> index_;
  std::vector<ChartSeries> all_;
};

}  // namespace breakeven
