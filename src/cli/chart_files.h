// --chart and --list-charts, for subcommands that draw charts.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/text_file.h"
#include "reports/charts/chart.h"

namespace breakeven {

struct ChartOptions {
  std::vector<std::string> charts;  // NAME=FILE
  bool list = false;

  bool any() const { return list || !charts.empty(); }
};

void declare_chart_options(CLI::App& command, ChartOptions& options);

/// The files to draw. Throws CommandError for a --chart that is not "NAME=FILE".
std::vector<OutputFile> chart_files(const ChartOptions& options);

/// Lists and draws the requested charts. Throws CommandError.
void show_charts(const std::vector<Chart>& all, const ChartOptions& options);

}  // namespace breakeven
