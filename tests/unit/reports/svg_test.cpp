#include "reports/charts/svg.h"

#include <gmock/gmock.h>

#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <cstdlib>
#include <fstream>
#include <random>
#include <regex>
#include <sstream>

#include "reports/charts/labels.h"
#include "reports/charts/scales.h"
#include "reports/words/threshold_words.h"
#include "unit/mutations.h"
#include "unit/reports/svg_examples.h"

namespace breakeven {
namespace {

using boost::property_tree::ptree;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

// ---- what is in a picture

struct Box {
  double left = 0, top = 0, right = 0, bottom = 0;

  bool overlaps(const Box& other) const {
    constexpr double slack = 0.3;  // positions have one digit behind the point
    return left + slack < other.right && other.left + slack < right && top + slack < other.bottom &&
           other.top + slack < bottom;
  }
  bool contains(double x, double y) const {
    constexpr double rounding = 0.06;
    return x >= left - rounding && x <= right + rounding && y >= top - rounding && y <= bottom + rounding;
  }
  bool contains(const Box& other) const {
    return contains(other.left, other.top) && contains(other.right, other.bottom);
  }
};

struct Label {
  std::string text;
  Box box;
};

struct Mark {
  std::string kind;  // the class
  double x = 0, y = 0;
};

struct Picture {
  Box area;
  std::vector<Label> labels;
  std::vector<Mark> marks;  // points, and the corners of what else is drawn
  std::size_t curves = 0;
};

std::vector<double> numbers_of(const std::string& path) {
  static const std::regex number("-?[0-9.]+");
  std::vector<double> found;
  for (std::sregex_iterator at(path.begin(), path.end(), number), end; at != end; ++at)
    found.push_back(std::stod(at->str()));
  return found;
}

Box box_of(const ptree& text) {
  const auto x = text.get<double>("<xmlattr>.x"), y = text.get<double>("<xmlattr>.y");
  const std::string anchor = text.get("<xmlattr>.text-anchor", "start");
  const double width =
      svg::text_width(text.data(), text.get_optional<int>("<xmlattr>.font-weight").has_value());
  const double left = anchor == "start" ? x : anchor == "middle" ? x - width / 2 : x - width;
  return {.left = left, .top = y - 10, .right = left + width, .bottom = y + 3};
}

/// Adds the corners of a path that has only absolute M, L, H and V, as lines, bands and intervals are
/// written.
void collect_corners(const std::string& kind, const std::string& path, Picture& picture) {
  static const std::regex step("([MLHV])(-?[0-9.]+)(?:,(-?[0-9.]+))?");
  double x = 0, y = 0;
  for (std::sregex_iterator at(path.begin(), path.end(), step), end; at != end; ++at) {
    const std::string command = (*at)[1];
    if (command == "V") {
      y = std::stod((*at)[2]);
    } else {
      x = std::stod((*at)[2]);
      if (command != "H") y = std::stod((*at)[3]);
    }
    picture.marks.push_back({.kind = kind, .x = x, .y = y});
  }
}

void collect(const ptree& element, Picture& picture, bool in_legend) {
  for (const auto& [name, child] : element) {
    const std::string kind = child.get("<xmlattr>.class", "");
    if (name == "text") picture.labels.push_back({.text = child.data(), .box = box_of(child)});
    if (name == "path") collect_corners(kind, child.get<std::string>("<xmlattr>.d"), picture);
    if (name == "path" && kind == "curve") ++picture.curves;
    if (name == "circle")
      picture.marks.push_back(
          {.kind = "sample", .x = child.get<double>("<xmlattr>.cx"), .y = child.get<double>("<xmlattr>.cy")});
    if (name == "g" && kind == "point") {
      const std::vector<double> at = numbers_of(child.get<std::string>("<xmlattr>.transform"));
      picture.marks.push_back({.kind = in_legend ? "swatch" : "point", .x = at.at(0), .y = at.at(1)});
    } else if (name == "g") {
      collect(child, picture, in_legend || kind == "legend");
    }
  }
}

Picture picture_of(const std::string& svg) {
  std::istringstream in(svg);
  ptree document;
  read_xml(in, document);  // throws where it is not well formed
  const ptree& root = document.get_child("svg");
  const std::vector<double> view = numbers_of(root.get<std::string>("<xmlattr>.viewBox"));
  Picture picture{
      .area = {.left = view[0], .top = view[1], .right = view[0] + view[2], .bottom = view[1] + view[3]},
      .labels = {},
      .marks = {}};
  collect(root, picture, false);
  return picture;
}

std::vector<std::string> texts_of(const Picture& picture) {
  std::vector<std::string> texts;
  for (const Label& label : picture.labels) texts.push_back(label.text);
  return texts;
}

std::size_t count(const Picture& picture, const std::string& kind) {
  return static_cast<std::size_t>(std::count_if(picture.marks.begin(), picture.marks.end(),
                                                [&](const Mark& mark) { return mark.kind == kind; }));
}

/// Checks the properties that every picture must have. Returns what is wrong.
std::vector<std::string> faults(const Picture& picture) {
  std::vector<std::string> found;
  for (std::size_t i = 0; i < picture.labels.size(); ++i) {
    const Label& label = picture.labels[i];
    if (!picture.area.contains(label.box)) found.push_back("outside: " + label.text);
    for (std::size_t j = 0; j < i; ++j) {
      if (label.box.overlaps(picture.labels[j].box))
        found.push_back("overlap: " + label.text + " | " + picture.labels[j].text);
    }
    for (const Mark& mark : picture.marks) {
      if (mark.kind == "point" && label.box.contains(mark.x, mark.y))
        found.push_back("on a point: " + label.text);
    }
  }
  for (const Mark& mark : picture.marks) {
    if (!picture.area.contains(mark.x, mark.y)) found.push_back("outside: " + mark.kind);
  }
  return found;
}

// ---- charts at random

class RandomCharts {
 public:
  explicit RandomCharts(std::uint32_t seed) : random_(seed) {}

  Chart next() {
    Chart chart{.name = "random",
                .title = text(),
                .kind = static_cast<Chart::Kind>(up_to(4)),
                .x = axis(ChartUnit::bytes),
                .y = axis(ChartUnit::ratio),
                .categories = {},
                .series = {}};
    has_rows_ = chart.kind != Chart::Kind::lines && chart.kind != Chart::Kind::points;
    decades_ = chance(0.2) ? 12 : chance(0.3) ? 0 : 2;
    for (int i = up_to(7); has_rows_ && i >= 0; --i) chart.categories.push_back(text());
    for (int i = up_to(9); i > 0; --i) chart.series.push_back(series(chart));
    for (int i = chance(0.3) ? up_to(3) : 0; i > 0 && !has_rows_; --i) chart.marks.push_back(mark());
    if (chance(0.3)) chart.reference = value();
    if (chance(0.5)) chart.tolerance = 0.05;
    if (chance(0.3)) chart.note = text();
    return chart;
  }

 private:
  int up_to(int most) { return std::uniform_int_distribution<int>(0, most)(random_); }
  bool chance(double of) { return std::bernoulli_distribution(of)(random_); }
  double value() {
    return chance(0.03)
               ? 0
               : std::pow(10, std::uniform_real_distribution<double>(-decades_ / 2, decades_ / 2)(random_));
  }
  std::string text() {
    static const std::vector<std::string> words = mutations::words_of(
        "oneDNN a batch <b>&amp;\"' 64 x \x01\x1b[31m \xff\xfe ]]> 計算機 "
        "long-word-without-spaces-that-goes-on "
        "f32 \xe2\x80\xae transposed, \xef\xbf\xbf ☃ ${1} %s {}");
    std::string made;
    for (int i = up_to(chance(0.2) ? 20 : 4); i > 0; --i)
      made += words[static_cast<std::size_t>(up_to(static_cast<int>(words.size()) - 1))] + " ";
    return made;
  }
  ChartAxis axis(ChartUnit last) {
    const auto unit = static_cast<ChartUnit>(up_to(static_cast<int>(last)));
    return {.label = text(), .logarithmic = chance(0.5), .unit = unit};
  }
  ChartPoint point(double x) {
    ChartPoint made{.x = x, .y = value()};
    if (chance(0.6)) {
      made.low = made.y * 0.8;
      made.high = made.y * 1.5;
    }
    return made;
  }
  ChartSeries series(const Chart& chart) {
    ChartSeries made{.label = text(), .points = {}, .is_limit = chance(0.15), .is_gpu = chance(0.3)};
    if (has_rows_) {
      const int samples = chart.kind == Chart::Kind::distributions ? up_to(300) : 1;
      for (std::size_t i = 0; i < chart.categories.size(); ++i) {
        for (int k = 0; k < samples && (chance(0.8) || k > 0); ++k)
          made.points.push_back(point(static_cast<double>(i)));
      }
    } else {
      const int points = chance(0.1) ? 500 : up_to(20);
      for (int i = 0; i < points; ++i) made.points.push_back(point(value()));
      std::sort(made.points.begin(), made.points.end(),
                [](const ChartPoint& a, const ChartPoint& b) { return a.x < b.x; });
    }
    return made;
  }
  ChartMark mark() {
    const double at = value();
    return {.x = at, .low = 0.7 * at, .high = 1.4 * at, .label = text()};
  }

  std::mt19937 random_;
  bool has_rows_ = false;
  double decades_ = 0;
};

const std::vector<SvgStyle> styles{{.width = 640, .for_page = false},
                                   {.width = 640, .for_page = true, .id_prefix = "a-"},
                                   {.width = 340, .for_page = false},
                                   {.width = 340, .for_page = true}};

// Beneath a sanitizer, a chart takes ten times as long, and the first ones reach the same code.
#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define SANITIZED
#endif
#endif
#ifdef SANITIZED
constexpr int random_charts = 40;
#else
constexpr int random_charts = 400;
#endif

TEST(Svg, RandomChartsAreWellFormedInsideAndWithoutOverlap) {
  RandomCharts charts(20261124);
  std::size_t bad = 0;
  for (int i = 0; i < random_charts && bad < 5; ++i) {
    const Chart chart = charts.next();
    for (const SvgStyle& style : styles) {
      const std::string svg = svg_text(chart, style);
      const std::vector<std::string> found = faults(picture_of(svg));
      EXPECT_THAT(found, IsEmpty()) << "chart " << i << ", width " << style.width;
      EXPECT_THAT(svg, AllOf(Not(HasSubstr("nan")), Not(HasSubstr("inf,")))) << i;
      if (!found.empty()) ++bad;
    }
  }
}

TEST(Svg, ExamplesAreInsideAndWithoutOverlap) {
  for (const Chart& chart : svg_examples::all()) {
    for (const SvgStyle& style : styles)
      EXPECT_THAT(faults(picture_of(svg_text(chart, style))), IsEmpty()) << chart.name << ", " << style.width;
  }
}

/// For tests that look at the pixels: BREAKEVEN_SVG_EXAMPLES names the folder.
TEST(SvgExamples, AreWritten) {
  const char* folder = std::getenv("BREAKEVEN_SVG_EXAMPLES");
  if (folder == nullptr) GTEST_SKIP() << "BREAKEVEN_SVG_EXAMPLES names no folder";
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream out(std::string(folder) + "/" + name);
    out << text;
    ASSERT_TRUE(out.flush());
  };
  for (const Chart& chart : svg_examples::all()) {
    for (const int width : {640, 340}) {
      const std::string name = chart.name + "-" + std::to_string(width);
      write(name + ".svg", svg_text(chart, {.width = static_cast<double>(width)}));
      write(
          name + ".page.svg",
          svg_text(chart, {.width = static_cast<double>(width), .for_page = true, .id_prefix = name + "-"}));
    }
  }
  write("light.css", svg_page_colours(false));
  write("dark.css", svg_page_colours(true));
}

TEST(Svg, EveryPointIsDrawnAndSaysItsValue) {
  const std::string svg = svg_text(svg_examples::lines(), {});
  EXPECT_EQ(count(picture_of(svg), "point"), 20);
  EXPECT_THAT(svg, HasSubstr("<title>oneDNN, batch 1: 800 (720 to 920)</title>"));
  EXPECT_THAT(svg, HasSubstr("images per second by batch. oneDNN: 800 (batch 1) to 5.2k (batch 512)."));
  EXPECT_THAT(svg, HasSubstr("role=\"img\" aria-labelledby=\"title desc\""));
}

TEST(Svg, WidePicturesLabelLinesAtTheirEndsAndNarrowOnesInALegend) {
  const Picture wide = picture_of(svg_text(svg_examples::lines(), {.width = 640}));
  const Picture narrow = picture_of(svg_text(svg_examples::lines(), {.width = 340}));
  EXPECT_EQ(count(wide, "swatch"), 0);
  EXPECT_EQ(count(narrow, "swatch"), 5);
  for (const char* label :
       {"oneDNN", "OpenBLAS", "BLIS", "cuBLAS on an H100", "at most", "break-even: 140 (100 to 200)"}) {
    EXPECT_THAT(texts_of(wide), testing::Contains(label));
    EXPECT_THAT(texts_of(narrow), testing::Contains(label));
  }
}

TEST(Svg, TicksAreTheValuesMeasured) {
  const std::vector<std::string> texts = texts_of(picture_of(svg_text(svg_examples::lines(), {})));
  for (const char* tick : {"1", "8", "64", "512", "batch"}) EXPECT_THAT(texts, testing::Contains(tick));
  for (const char* tick : {"2", "5", "10"}) EXPECT_THAT(texts, Not(testing::Contains(tick)));
}

TEST(Svg, ThePageGivesTheColoursAndAFileHasItsOwn) {
  const Chart chart = svg_examples::lines();
  const std::string page = svg_text(chart, {.for_page = true, .id_prefix = "a-"});
  EXPECT_THAT(page, AllOf(HasSubstr("var(--series-1)"), HasSubstr("var(--accent)"),
                          HasSubstr("id=\"a-title\""), Not(HasSubstr("#"))));
  const std::string file = svg_text(chart, {});
  EXPECT_THAT(file, AllOf(Not(HasSubstr("var(")), HasSubstr("fill=\"#ffffff\"/>")));
  for (const bool dark : {false, true}) {
    for (const char* name : {"--ink:", "--soft:", "--line:", "--accent:", "--series-1:", "--series-6:"})
      EXPECT_THAT(svg_page_colours(dark), HasSubstr(name));
  }
}

TEST(Svg, SixSeriesAreDrawnTheBestAtTheirLastPoint) {
  Chart chart = svg_examples::lines();
  chart.series.clear();
  for (int i = 0; i < 9; ++i)
    chart.series.push_back(svg_examples::series("s" + std::to_string(i), 10 + i, 0.5));
  std::vector<std::string> texts = texts_of(picture_of(svg_text(chart, {})));
  EXPECT_THAT(texts, AllOf(testing::Contains("3 more are left out."), testing::Contains("s8"),
                           testing::Contains("s3"), Not(testing::Contains("s2"))));
  chart.less_is_better = true;
  texts = texts_of(picture_of(svg_text(chart, {})));
  EXPECT_THAT(texts, AllOf(testing::Contains("s0"), testing::Contains("s5"), Not(testing::Contains("s6"))));
}

TEST(Svg, ZeroHasNoPlaceOnALogarithmicAxisAndIsSaid) {
  Chart chart = svg_examples::lines();
  chart.series[0].points[0].y = 0;
  chart.series[0].points[0].low = 0;
  const Picture picture = picture_of(svg_text(chart, {}));
  EXPECT_EQ(count(picture, "point"), 19);
  EXPECT_THAT(texts_of(picture), testing::Contains("A value of 0 is not shown: the axis is logarithmic."));
}

TEST(Svg, AChartOfNothingSaysSo) {
  Chart chart = svg_examples::lines();
  chart.series.clear();
  EXPECT_THAT(texts_of(picture_of(svg_text(chart, {}))), testing::Contains("No values to show."));
}

TEST(Svg, SamplesAreThinnedAndItIsSaid) {
  const Picture picture = picture_of(svg_text(svg_examples::distributions(), {}));
  EXPECT_EQ(count(picture, "sample"), 200 + 200 + 150 + 150);
  EXPECT_THAT(texts_of(picture), testing::Contains("At most 200 samples of each are drawn, of up to 450."));
}

TEST(Svg, ASingleBarIsNoWall) {
  EXPECT_LT(picture_of(svg_text(svg_examples::one_bar(), {.for_page = true})).area.bottom, 90);
}

TEST(SvgScales, TicksAreRound) {
  EXPECT_THAT(svg::round_ticks({.low = 0, .high = 233}, false, 6), ElementsAre(0, 50, 100, 150, 200));
  EXPECT_THAT(svg::round_ticks({.low = 8, .high = 260}, true, 10), ElementsAre(10, 20, 50, 100, 200));
  EXPECT_THAT(svg::round_ticks({.low = 0.9, .high = 1.3}, true, 6),
              ElementsAre(testing::DoubleEq(0.9), 1, testing::DoubleEq(1.1), testing::DoubleEq(1.2),
                          testing::DoubleEq(1.3)));
  EXPECT_THAT(svg::round_ticks({.low = 1, .high = 1e12}, true, 7), SizeIs(testing::Le(7)));
}

TEST(SvgScales, NumbersAreShort) {
  const auto number = [](double value) { return svg::tick_text(value, ChartUnit::number); };
  EXPECT_EQ(number(10000), "10k");
  EXPECT_EQ(number(1.5e6), "1.5M");
  EXPECT_EQ(number(4096), "4,096");
  EXPECT_EQ(number(0.0005), "0.0005");
  EXPECT_EQ(number(1e-9), "1e-9");
  EXPECT_EQ(number(-2000), "-2k");
  EXPECT_EQ(svg::value_text(228834, ChartUnit::number), "229k");
  EXPECT_EQ(svg::value_text(999.7, ChartUnit::number), "1k");
  EXPECT_EQ(svg::value_text(15.93e-6, ChartUnit::seconds), "15.9 µs");
  EXPECT_EQ(svg::value_text(0.9999e-3, ChartUnit::seconds), "1 ms");
  EXPECT_EQ(svg::value_text(90, ChartUnit::seconds), "90 s");
  EXPECT_EQ(svg::tick_text(0.5, ChartUnit::ratio), "0.5x");
  EXPECT_THAT(svg::tick_texts({1.0001, 1.0002}, ChartUnit::number), ElementsAre("1.0001", "1.0002"));
}

TEST(SvgScales, BytesHavePowersOf1024) {
  const auto bytes = [](double value) { return svg::tick_text(value, ChartUnit::bytes); };
  EXPECT_EQ(bytes(0), "0");
  EXPECT_EQ(bytes(64), "64 B");
  EXPECT_EQ(bytes(1024), "1 KiB");
  EXPECT_EQ(bytes(1000), "0.977 KiB") << "no unit is there a thousand times";
  EXPECT_EQ(bytes(1.5 * 1024 * 1024), "1.5 MiB");
  EXPECT_EQ(bytes(std::exp2(30)), "1 GiB");
  EXPECT_EQ(bytes(std::exp2(49)), "512 TiB");
  EXPECT_EQ(svg::value_text(1e6, ChartUnit::bytes), "977 KiB");
  EXPECT_THAT(svg::round_ticks({.low = 3000, .high = 3e4}, true, 7, ChartUnit::bytes),
              ElementsAre(4096, 8192, 16384));
  EXPECT_THAT(svg::round_ticks({.low = 1, .high = 1e12}, true, 7, ChartUnit::bytes), SizeIs(testing::Le(7)));
  EXPECT_THAT(svg::round_ticks({.low = 0, .high = 5 * 1024}, false, 5, ChartUnit::bytes),
              ElementsAre(0, 1024, 2048, 3072, 4096, 5120));
}

TEST(SvgLabels, SpreadStaysNearAndApart) {
  EXPECT_THAT(svg::spread({10, 50}, 15, 0, 100), ElementsAre(10, 50));
  EXPECT_THAT(svg::spread({50, 50}, 10, 0, 100), ElementsAre(45, 55));
  EXPECT_THAT(svg::spread({99, 98}, 10, 0, 100), ElementsAre(100, 90)) << "in the order of their places";
}

TEST(SvgLabels, ShortenedStayDifferent) {
  const std::vector<std::string> texts{"AMD EPYC, pytorch on 2 threads", "AMD EPYC, pytorch on 4 threads"};
  const std::vector<std::string> shown = svg::shortened(texts, 100);
  EXPECT_NE(shown[0], shown[1]);
  for (const std::string& one : shown) {
    EXPECT_LE(svg::text_width(one), 100);
    EXPECT_THAT(one, HasSubstr("…"));
  }
  EXPECT_THAT(svg::shortened({"one", "two"}, 100), ElementsAre("one", "two"));
}

}  // namespace
}  // namespace breakeven
