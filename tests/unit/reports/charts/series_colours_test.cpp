// Tests the colours that distinguish series in pictures.
#include <gmock/gmock.h>

#include <regex>
#include <set>
#include <string>
#include <vector>

#include "reports/charts/svg.h"

namespace breakeven::series_colours_test {
namespace {

using testing::Each;
using testing::SizeIs;
using testing::StartsWith;

/// The colours of the bars, on a page.
std::vector<std::string> bar_colours(const Chart& chart) {
  const std::string svg = svg_text(chart, {.width = 640, .for_page = true, .id_prefix = ""});
  static const std::regex bar(R"re(<g class="bar">.*?<rect[^>]* fill="var\(--([a-z0-9-]+)\)")re");
  std::vector<std::string> colours;
  for (std::sregex_iterator at(svg.begin(), svg.end(), bar), end; at != end; ++at)
    colours.push_back((*at)[1]);
  return colours;
}

Chart bars(std::size_t series, bool is_gpu) {
  Chart chart{.name = "bars",
              .title = "Bars",
              .kind = Chart::Kind::bars,
              .x = {},
              .y = {.label = "times as fast", .unit = ChartUnit::ratio},
              .categories = {"bf16"},
              .series = {}};
  for (std::size_t i = 0; i < series; ++i) {
    const double y = 1 + static_cast<double>(i);
    chart.series.push_back(
        {.label = "series " + std::to_string(i), .points = {{.x = 0, .y = y}}, .is_gpu = is_gpu});
  }
  return chart;
}

TEST(SeriesColours, DifferBetweenSeriesOfOneDevice) {
  constexpr std::size_t most = 6;
  for (const bool is_gpu : {false, true}) {
    const std::vector<std::string> colours = bar_colours(bars(most, is_gpu));
    ASSERT_THAT(colours, SizeIs(most));
    EXPECT_THAT(std::set(colours.begin(), colours.end()), SizeIs(most));
    EXPECT_THAT(colours, Each(StartsWith(is_gpu ? "accent" : "series-")))
        << "a GPU is drawn in shades of its own colour";
  }
}

TEST(SeriesColours, AreAllDefinedOnAPage) {
  for (const bool dark : {false, true}) {
    const std::string defined = svg_page_colours(dark);
    for (const bool is_gpu : {false, true}) {
      for (const std::string& colour : bar_colours(bars(6, is_gpu)))
        EXPECT_THAT(defined, testing::HasSubstr("--" + colour + ":"));
    }
  }
}

}  // namespace
}  // namespace breakeven::series_colours_test
