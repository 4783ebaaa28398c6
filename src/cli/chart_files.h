// --chart and --list-charts, of subcommands that have charts to draw.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "reports/charts/result_charts.h"

namespace breakeven {

struct ChartOptions {
  std::vector<std::string> charts;  // NAME=FILE
  bool list = false;

  bool any() const { return list || !charts.empty(); }
};

/// As SVG, or as PNG where the path ends so. Throws CommandError.
void write_chart_file(const Chart& chart, const std::string& path);

void declare_chart_options(CLI::App& command, ChartOptions& options);

/// Lists and draws what was asked for. Throws CommandError.
void show_charts(const std::vector<Chart>& all, const ChartOptions& options);

}  // namespace breakeven
