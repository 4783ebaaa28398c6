// Charts as gnuplot draws them (http://www.gnuplot.info), for pages that are no reports.
#pragma once

#include <string>

#include "reports/charts.h"

namespace breakeven {

/// A script for gnuplot 5 that draws the chart into `file`: SVG, or PNG where the name ends so.
std::string gnuplot_script(const Chart& chart, const std::string& file);

}  // namespace breakeven
