#include "reports/chart_gnuplot.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace breakeven {
namespace {

/// A string in single quotes, in which nothing but the quote itself means anything to gnuplot.
std::string in_quotes(std::string_view text) {
  std::string made = "'";
  for (const char c : text) {
    if (c == '\n' || c == '\r') continue;
    made += c;
    if (c == '\'') made += c;
  }
  return made + "'";
}

/// Okabe and Ito's colours, which people who see fewer tell apart, too (Color Universal Design, 2008).
constexpr const char* style = R"(set linetype 1 lc rgb '#0072B2' pt 7
set linetype 2 lc rgb '#D55E00' pt 5
set linetype 3 lc rgb '#009E73' pt 9
set linetype 4 lc rgb '#CC79A7' pt 11
set linetype 5 lc rgb '#56B4E9' pt 13
set linetype 6 lc rgb '#E69F00' pt 6
set linetype 7 lc rgb '#555555' pt 4
set linetype 8 lc rgb '#B8A900' pt 8
set linetype cycle 8
set grid lc rgb '#DDDDDD'
set border 3
set tics nomirror
set key outside bottom center horizontal noenhanced
set datafile missing '?'
)";

std::string axis_text(char axis, const ChartAxis& of) {
  return fmt::format("set {0}label {1} noenhanced\n{2}", axis, in_quotes(of.label),
                     of.logarithmic ? fmt::format("set logscale {0}\n", axis) : "");
}

std::string number_or_missing(const std::optional<double>& value) {
  return value ? fmt::format("{:.10g}", *value) : "?";
}

std::string lines_text(const Chart& chart) {
  std::string data;
  std::vector<std::string> plots;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    const ChartSeries& series = chart.series[i];
    data += fmt::format("$series{} << EOD\n", i);
    bool has_intervals = false;
    for (const ChartPoint& point : series.points) {
      data += fmt::format("{:.10g} {:.10g} {} {}\n", point.x, point.y, number_or_missing(point.low),
                          number_or_missing(point.high));
      has_intervals = has_intervals || (point.low && point.high);
    }
    data += "EOD\n";
    const char* drawn = series.is_limit                     ? "lines lc rgb '#888888' dt 2"
                        : chart.kind == Chart::Kind::points ? "points"
                        : series.points.size() > 200        ? "lines"
                                                            : "linespoints";
    const std::string colour = series.is_limit ? "" : fmt::format(" lt {}", i % 8 + 1);
    plots.push_back(
        fmt::format("$series{} using 1:2 with {}{} title {}", i, drawn, colour, in_quotes(series.label)));
    if (has_intervals)
      plots.push_back(fmt::format("$series{} using 1:2:3:4 with yerrorbars{} pt -1 notitle", i, colour));
  }
  return fmt::format("{}plot {}\n", data, fmt::join(plots, ", \\\n     "));
}

std::string bars_text(const Chart& chart) {
  std::string data = "$bars << EOD\n";
  for (std::size_t category = 0; category < chart.categories.size(); ++category) {
    data += in_quotes(chart.categories[category]);
    for (const ChartSeries& series : chart.series) {
      const auto point = std::find_if(series.points.begin(), series.points.end(), [&](const ChartPoint& p) {
        return p.x == static_cast<double>(category);
      });
      const bool is_there = point != series.points.end();
      data += fmt::format(" {} {} {}", is_there ? fmt::format("{:.10g}", point->y) : "?",
                          is_there ? number_or_missing(point->low.value_or(point->y)) : "?",
                          is_there ? number_or_missing(point->high.value_or(point->y)) : "?");
    }
    data += '\n';
  }
  data += "EOD\n";
  std::vector<std::string> plots;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    const std::size_t column = 2 + 3 * i;
    plots.push_back(fmt::format("$bars using {}:{}:{}{} lt {} title {}", column, column + 1, column + 2,
                                i == 0 ? ":xtic(1)" : "", i % 8 + 1, in_quotes(chart.series[i].label)));
  }
  return fmt::format(
      "set style data histogram\nset style histogram errorbars gap 1\nset style fill solid 0.8\n"
      "set xtics rotate by -35 noenhanced\n{}{}plot {}\n",
      chart.y.logarithmic ? "" : "set yrange [0:*]\n", data, fmt::join(plots, ", \\\n     "));
}

}  // namespace

std::string gnuplot_script(const Chart& chart, const std::string& file) {
  const char* terminal = file.ends_with(".png")
                             ? "pngcairo size 1280,800 font 'Sans,14'"
                             : "svg size 960,600 dynamic font 'sans-serif,14' background '#FFFFFF'";
  return fmt::format("set terminal {}\nset output {}\n{}set title {} noenhanced\n{}{}{}", terminal,
                     in_quotes(file), style, in_quotes(chart.title),
                     chart.kind == Chart::Kind::bars ? "" : axis_text('x', chart.x), axis_text('y', chart.y),
                     chart.kind == Chart::Kind::bars ? bars_text(chart) : lines_text(chart));
}

}  // namespace breakeven
