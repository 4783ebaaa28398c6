#include "cli/chart_files.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "cli/subcommand.h"
#include "plan/suggestion.h"
#include "reports/chart_gnuplot.h"

namespace breakeven {
namespace {

struct NamedFile {
  std::string name, file;
};

/// Of "NAME=FILE".
NamedFile parse_chart(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals + 1 == text.size())
    throw CommandError(exit_code::bad_input,
                       fmt::format("--chart {}: name the file too, as in --chart {}=chart.svg", text,
                                   text.substr(0, equals)));
  return {.name = text.substr(0, equals), .file = text.substr(equals + 1)};
}

/// Into a file beside it first: what is there stays where it cannot be drawn.
void draw(const Chart& chart, const std::filesystem::path& file) {
  const std::filesystem::path part = file.string() + ".part" + file.extension().string();
  std::signal(SIGPIPE, SIG_IGN);  // writing to one that is not there is an error like others
  FILE* gnuplot = popen("gnuplot", "w");
  const std::string script = gnuplot_script(chart, part.string());
  const bool written =
      gnuplot != nullptr && fwrite(script.data(), 1, script.size(), gnuplot) == script.size();
  const int status = gnuplot == nullptr ? -1 : pclose(gnuplot);
  std::error_code error;
  if (status == 0 && written) std::filesystem::rename(part, file, error);
  if (status == 0 && written && !error) return;
  std::filesystem::remove(part, error);
  throw CommandError(
      exit_code::bad_input,
      WIFEXITED(status) && WEXITSTATUS(status) == 127
          ? "--chart needs gnuplot, which is not here; install it (Debian: gnuplot-nox)"
          : fmt::format("--chart: gnuplot could not draw {}; what it said stands above", chart.name));
}

void draw_chart(const std::vector<Chart>& all, const NamedFile& asked) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Chart& chart) { return chart.name == asked.name; });
  if (found == all.end()) {
    std::vector<std::string> names(all.size());
    std::transform(all.begin(), all.end(), names.begin(), [](const Chart& chart) { return chart.name; });
    throw CommandError(
        exit_code::bad_input,
        fmt::format("--chart: there is no chart '{}' here{}; --list-charts shows those that there are",
                    asked.name, did_you_mean(asked.name, names)));
  }
  draw(*found, asked.file);
}

}  // namespace

void declare_chart_options(CLI::App& command, ChartOptions& options) {
  command.add_option(
      "--chart", options.charts,
      "NAME=FILE: draw this chart, as SVG, or as PNG where the file's name ends so; may be given several "
      "times; needs gnuplot");
  command.add_flag("--list-charts", options.list, "the names and titles of the charts that there are");
}

std::vector<OutputFile> chart_files(const ChartOptions& options) {
  std::vector<OutputFile> files(options.charts.size());
  std::transform(options.charts.begin(), options.charts.end(), files.begin(), [](const std::string& chart) {
    const NamedFile asked = parse_chart(chart);
    return OutputFile{.option = "--chart " + asked.name, .path = asked.file};
  });
  return files;
}

void show_charts(const std::vector<Chart>& all, const ChartOptions& options) {
  if (options.list) {
    for (const Chart& chart : all) fmt::print("{}  {}\n", chart.name, chart.title);
  }
  for (const std::string& chart : options.charts) draw_chart(all, parse_chart(chart));
}

}  // namespace breakeven
