#include "cli/chart_files.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <cstdio>

#include "cli/subcommand.h"
#include "cli/text_file.h"
#include "plan/suggestion.h"
#include "reports/chart_gnuplot.h"

namespace breakeven {
namespace {

void draw(const Chart& chart, const std::string& file) {
  check_output_files({{"--chart", file}});
  std::signal(SIGPIPE, SIG_IGN);  // writing to one that is not there is an error like others
  FILE* gnuplot = popen("gnuplot", "w");
  const std::string script = gnuplot_script(chart, file);
  const bool written =
      gnuplot != nullptr && fwrite(script.data(), 1, script.size(), gnuplot) == script.size();
  const int status = gnuplot == nullptr ? -1 : pclose(gnuplot);
  if (status == 0 && written) return;
  throw CommandError(
      exit_code::bad_input,
      WIFEXITED(status) && WEXITSTATUS(status) == 127
          ? "--chart needs gnuplot, which is not here; install it (Debian: gnuplot-nox)"
          : fmt::format("--chart: gnuplot could not draw {}; what it said stands above", chart.name));
}

/// Each of "NAME=FILE".
void draw_charts(const std::vector<Chart>& all, const std::vector<std::string>& asked) {
  std::vector<std::string> names(all.size());
  std::transform(all.begin(), all.end(), names.begin(), [](const Chart& chart) { return chart.name; });
  for (const std::string& one : asked) {
    const std::size_t equals = one.find('=');
    if (equals == std::string::npos || equals + 1 == one.size())
      throw CommandError(exit_code::bad_input,
                         fmt::format("--chart {}: name the file too, as in --chart {}=chart.svg", one,
                                     one.substr(0, equals)));
    const std::string name = one.substr(0, equals);
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const Chart& chart) { return chart.name == name; });
    if (found == all.end())
      throw CommandError(
          exit_code::bad_input,
          fmt::format("--chart: there is no chart '{}' here{}; --list-charts shows those that there are",
                      name, did_you_mean(name, names)));
    draw(*found, one.substr(equals + 1));
  }
}

}  // namespace

void declare_chart_options(CLI::App& command, ChartOptions& options) {
  command.add_option(
      "--chart", options.charts,
      "NAME=FILE: draw this chart, as SVG, or as PNG where the file's name ends so; may be given several "
      "times; needs gnuplot");
  command.add_flag("--list-charts", options.list, "the names and titles of the charts that there are");
}

void show_charts(const std::vector<Chart>& all, const ChartOptions& options) {
  if (options.list) {
    for (const Chart& chart : all) fmt::print("{}  {}\n", chart.name, chart.title);
  }
  draw_charts(all, options.charts);
}

}  // namespace breakeven
