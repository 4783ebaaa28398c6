// Charts of each kind, with what makes them hard to draw.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "reports/charts/chart.h"

namespace breakeven::svg_examples {

inline ChartSeries series(const std::string& label, double first, double power, bool is_gpu = false) {
  ChartSeries made{.label = label, .points = {}, .is_gpu = is_gpu};
  for (const double x : {1.0, 8.0, 64.0, 512.0}) {
    const double y = first * std::pow(x, power);
    made.points.push_back({.x = x, .y = y, .low = 0.9 * y, .high = 1.15 * y});
  }
  return made;
}

inline Chart lines() {
  return {.name = "lines",
          .title = "From which batch on does a GPU win?",
          .kind = Chart::Kind::lines,
          .x = {.label = "batch", .logarithmic = true},
          .y = {.label = "images per second", .logarithmic = true},
          .categories = {},
          .series = {series("oneDNN", 800, 0.3),
                     series("OpenBLAS", 790, 0.29),
                     series("BLIS", 300, 0.3),
                     series("cuBLAS on an H100", 40, 0.9, true),
                     series("cuBLAS on an L4", 60, 0.75, true),
                     {.label = "at most",
                      .points = {{.x = 1, .y = 2e4}, {.x = 512, .y = 2e4}},
                      .is_limit = true}},
          .marks = {{.x = 140, .low = 100, .high = 200, .label = "break-even: 140 (100 to 200)"}},
          .note = "On one machine."};
}

/// One hides the others where nothing is done about it.
inline Chart coinciding() {
  Chart chart{.name = "coinciding",
              .title = "Three that are the same",
              .kind = Chart::Kind::lines,
              .x = {.label = "step"},
              .y = {.label = "loss"},
              .categories = {},
              .series = {}};
  for (const char* label : {"oneDNN", "OpenBLAS", "BLIS"}) {
    chart.series.push_back({.label = label, .points = {}});
    for (int step = 0; step < 10; ++step)
      chart.series.back().points.push_back({.x = static_cast<double>(step), .y = 2.3 * std::pow(0.9, step)});
  }
  return chart;
}

inline Chart points() {
  Chart chart{.name = "points",
              .title = "Time against cost",
              .kind = Chart::Kind::points,
              .x = {.label = "time", .unit = ChartUnit::seconds},
              .y = {.label = "USD"},
              .categories = {},
              .series = {}};
  for (int i = 1; i <= 5; ++i)
    chart.series.push_back({.label = "machine " + std::to_string(i),
                            .points = {{.x = 0.001 * i, .y = 5.0 / i, .low = 4.0 / i, .high = 6.5 / i}},
                            .is_gpu = i == 4});
  return chart;
}

inline Chart bars() {
  return {.name = "bars",
          .title = "Convolutions",
          .kind = Chart::Kind::bars,
          .x = {},
          .y = {.label = "GFLOP/s"},
          .categories = {"conv1: 1x3x224x224, 64 7x7, stride 2, pad 3, forward f32",
                         "conv1: 32x3x224x224, 64 7x7, stride 2, pad 3, forward f32", "small"},
          .series = {
              {.label = "oneDNN",
               .points = {{.x = 0, .y = 337, .low = 330, .high = 350}, {.x = 1, .y = 339}, {.x = 2, .y = 1}}},
              {.label = "BLIS",
               .points = {{.x = 0, .y = 125, .low = 90, .high = 400},
                          {.x = 1, .y = 120, .low = 119, .high = 121}}},
              {.label = "cuBLAS", .points = {{.x = 1, .y = 700, .low = 600, .high = 800}}, .is_gpu = true}}};
}

inline Chart one_bar() {
  Chart chart = bars();
  chart.name = "one-bar";
  chart.categories = {"1024 x 1024 x 1024"};
  chart.series = {{.label = "oneDNN", .points = {{.x = 0, .y = 151, .low = 149, .high = 155}}}};
  return chart;
}

inline Chart intervals() {
  return {.name = "intervals",
          .title = "Is the new version slower?",
          .kind = Chart::Kind::intervals,
          .x = {},
          .y = {.label = "new time over old time", .logarithmic = true, .unit = ChartUnit::ratio},
          .categories = {"matmul 64 x 64 x 64 f32", "conv2d", "MLP, batch 64"},
          .series = {{.label = "oneDNN",
                      .points = {{.x = 0, .y = 1.01, .low = 0.98, .high = 1.04},
                                 {.x = 1, .y = 1.3, .low = 1.2, .high = 1.42},
                                 {.x = 2, .y = 0.8, .low = 0.7, .high = 0.95}}},
                     {.label = "cuBLAS",
                      .points = {{.x = 0, .y = 1, .low = 0.9, .high = 1.1},
                                 {.x = 2, .y = 1.2, .low = 1.19, .high = 1.21}},
                      .is_gpu = true}},
          .reference = 1,
          .tolerance = 0.05};
}

inline Chart distributions() {
  Chart chart{.name = "distributions",
              .title = "All samples",
              .kind = Chart::Kind::distributions,
              .x = {},
              .y = {.label = "latency", .unit = ChartUnit::seconds},
              .categories = {"before", "after"},
              .series = {{.label = "oneDNN", .points = {}}, {.label = "BLIS", .points = {}}}};
  for (std::size_t i = 0; i < 1200; ++i) {
    const auto category = static_cast<double>(i % 2);
    const double sample = 1e-5 * (1 + 0.1 * category + 0.3 * std::fmod(0.618 * static_cast<double>(i), 1.0));
    chart.series[i < 900 ? 0 : 1].points.push_back({.x = category, .y = sample});
  }
  return chart;
}

inline std::vector<Chart> all() {
  return {lines(), coinciding(), points(), bars(), one_bar(), intervals(), distributions()};
}

}  // namespace breakeven::svg_examples
