// --chart and --list-charts, of subcommands that have charts to draw.
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

/// The files that are to be drawn. Throws CommandError for a --chart that is not "NAME=FILE".
std::vector<OutputFile> chart_files(const ChartOptions& options);

/// Lists and draws what was asked for. Throws CommandError.
void show_charts(const std::vector<Chart>& all, const ChartOptions& options);

}  // namespace breakeven
