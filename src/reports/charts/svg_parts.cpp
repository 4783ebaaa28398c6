#include "reports/charts/svg_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/algorithm/string/replace.hpp>

#include "reports/charts/labels.h"
#include "reports/charts/svg.h"
#include "reports/text.h"

namespace breakeven {
namespace svg {
namespace {

struct Colour {
  const char *name, *light, *dark;
};
/// The accent is for GPUs alone. The colours of series differ in lightness, so that those who see fewer
/// colours tell them apart, and contrast with the ground by 3:1 at least.
constexpr std::array<Colour, 10> colours{{{"ink", "#1c1e21", "#eceef0"},
                                          {"soft", "#667085", "#98a2b3"},
                                          {"line", "#e6e8eb", "#2c3036"},
                                          {"accent", "#c2410c", "#fb923c"},
                                          {"series-1", "#1f6feb", "#5c9dff"},
                                          {"series-2", "#344054", "#b9c2cf"},
                                          {"series-3", "#8a94a6", "#8590a3"},
                                          {"series-4", "#0b3a7e", "#a9cbff"},
                                          {"series-5", "#4b93dd", "#3b78c9"},
                                          {"series-6", "#3a7f93", "#63b3c4"}}};

const char* anchor_text(Anchor anchor) {
  return anchor == Anchor::start    ? ""
         : anchor == Anchor::middle ? R"( text-anchor="middle")"
                                    : R"( text-anchor="end")";
}

/// Around 0, 0.
std::string shape_path(std::size_t shape, double r) {
  const double wide = 1.25 * r, near = 0.9 * r;
  switch (shape % 6) {
    case 0:
      return fmt::format("M{0:.1f},0a{1:.1f},{1:.1f} 0 1 0 {2:.1f},0a{1:.1f},{1:.1f} 0 1 0 {3:.1f},0z", -r, r,
                         2 * r, -2 * r);
    case 1:
      return fmt::format("M{0:.1f},{0:.1f}H{1:.1f}V{1:.1f}H{0:.1f}z", -near, near);
    case 2:
      return fmt::format("M0,{0:.1f}L{1:.1f},0L0,{1:.1f}L{0:.1f},0z", -wide, wide);
    case 3:
      return fmt::format("M0,{0:.1f}L{1:.1f},{2:.1f}H{0:.1f}z", -wide, wide, near);
    case 4:
      return fmt::format("M0,{0:.1f}L{1:.1f},{2:.1f}H{0:.1f}z", wide, -wide, -near);
    default: {  // a plus
      const double arm = 0.45 * r;
      return fmt::format(
          "M{0:.1f},{2:.1f}H{2:.1f}V{0:.1f}H{3:.1f}V{2:.1f}H{1:.1f}V{3:.1f}H{3:.1f}V{1:.1f}H{2:.1f}V{3:.1f}H{"
          "0:.1f}z",
          -wide, wide, -arm, arm);
    }
  }
}

}  // namespace

std::string Paper::colour(std::string_view name) const {
  if (for_page) return fmt::format("var(--{})", name);
  return std::find_if(colours.begin(), colours.end(), [&](const Colour& c) { return c.name == name; })->light;
}

std::vector<Look> looks_of(const Chart& chart, const Paper& paper) {
  static constexpr std::array<const char*, most_series> dashes{"", "7 3", "2 3", "10 3 2 3", "4 2", "1 2"};
  std::vector<Look> looks;
  std::size_t cpus = 0, gpus = 0;
  for (const ChartSeries& series : chart.series) {
    const std::size_t shape = chart.kind == Chart::Kind::bars && !chart.y.logarithmic ? 1 : cpus + gpus;
    if (series.is_limit) {
      looks.push_back({.colour = paper.colour("soft"), .dash = std::string(limit_dash)});
    } else if (series.is_gpu) {
      looks.push_back(
          {.colour = paper.colour("accent"), .dash = dashes.at(gpus++ % most_series), .shape = shape});
    } else {
      looks.push_back({.colour = paper.colour(fmt::format("series-{}", cpus++ % most_series + 1)),
                       .dash = "",
                       .shape = shape});
    }
  }
  return looks;
}

std::string escaped(std::string_view text) {
  std::string made = printable(text);
  for (const auto& [what, by] :
       {std::pair{"&", "&amp;"},
        {"<", "&lt;"},
        {">", "&gt;"},
        {"\"", "&quot;"},
        {"\xef\xbf\xbe", ""},
        {"\xef\xbf\xbf", ""}})  // U+FFFE and U+FFFF are no characters (XML 1.0, section 2.2)
    boost::algorithm::replace_all(made, what, by);
  return made;
}

std::string tooltip(std::string_view text) {
  return text.empty() ? "" : fmt::format("<title>{}</title>", escaped(text));
}

std::string text(double x, double y, std::string_view content, const TextLook& look) {
  return fmt::format(R"(<text x="{:.1f}" y="{:.1f}" fill="{}"{}{}>{}{}</text>)"
                     "\n",
                     x, y, look.colour, anchor_text(look.anchor), look.bold ? R"( font-weight="600")" : "",
                     tooltip(look.tooltip), escaped(content));
}

std::string line(double x1, double y1, double x2, double y2, const std::string& colour, double width,
                 std::string_view dash) {
  return fmt::format(R"(<path d="M{:.1f},{:.1f}L{:.1f},{:.1f}" stroke="{}" stroke-width="{}"{}/>)"
                     "\n",
                     x1, y1, x2, y2, colour, width,
                     dash.empty() ? "" : fmt::format(R"( stroke-dasharray="{}")", dash));
}

std::string marker(double x, double y, const Look& look, double radius, std::string_view tip) {
  return fmt::format(
      R"svg(<g class="point" transform="translate({:.1f},{:.1f})">{}<path d="{}" fill="{}"/></g>)svg"
      "\n",
      x, y, tooltip(tip), shape_path(look.shape, radius), look.colour);
}

std::string interval_bar(double low, double high, double across, bool along_x, const std::string& colour) {
  constexpr double cap = 3;
  const char* form = along_x ? "M{0:.1f},{2:.1f}V{3:.1f}M{0:.1f},{4:.1f}H{1:.1f}M{1:.1f},{2:.1f}V{3:.1f}"
                             : "M{2:.1f},{0:.1f}H{3:.1f}M{4:.1f},{0:.1f}V{1:.1f}M{2:.1f},{1:.1f}H{3:.1f}";
  return fmt::format(R"(<path class="interval" d="{}" stroke="{}" stroke-width="1.5" fill="none"/>)"
                     "\n",
                     fmt::format(fmt::runtime(form), low, high, across - cap, across + cap, across), colour);
}

Part legend(const Chart& chart, const std::vector<Look>& looks, const Paper& paper, double top) {
  constexpr double between = 16;
  const bool has_lines = chart.kind == Chart::Kind::lines ||
                         std::any_of(chart.series.begin(), chart.series.end(),
                                     [](const ChartSeries& series) { return series.is_limit; });
  const double swatch = has_lines ? 20 : 9, beside = swatch + 6;
  std::vector<std::string> labels(chart.series.size());
  std::transform(chart.series.begin(), chart.series.end(), labels.begin(),
                 [](const ChartSeries& series) { return series.label; });
  const std::vector<std::string> shown = shortened(labels, paper.width - beside);
  Part part{.svg = {}, .bottom = top};
  double x = 0;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const double width = beside + text_width(shown[i]);
    if (x > 0 && x + width > paper.width) {
      x = 0;
      part.bottom += line_height + 2;
    }
    const double y = part.bottom + line_height - 7;
    if (chart.kind == Chart::Kind::lines || chart.series[i].is_limit)
      part.svg += line(x, y, x + swatch, y, looks[i].colour, 2, looks[i].dash);
    if (!chart.series[i].is_limit) part.svg += marker(x + swatch / 2, y, looks[i], marker_radius + 0.5, {});
    part.svg += text(x + beside, y + 4, shown[i],
                     {.colour = paper.colour("ink"), .tooltip = shown[i] == labels[i] ? "" : labels[i]});
    x += width + between;
  }
  part.svg = fmt::format("<g class=\"legend\">\n{}</g>\n", part.svg);
  part.bottom += line_height + 6;
  return part;
}

bool has_rows(const Chart& chart) {
  return chart.kind != Chart::Kind::lines && chart.kind != Chart::Kind::points;
}

bool has_interval(const ChartPoint& point) {
  return point.low.has_value() && point.high.has_value();
}

std::string place_text(const Chart& chart, double x) {
  if (has_rows(chart)) return chart.categories.at(static_cast<std::size_t>(x));
  return chart.x.label.empty() ? tick_text(x, chart.x.unit)
                               : fmt::format("{} {}", chart.x.label, tick_text(x, chart.x.unit));
}

std::string point_text(const Chart& chart, const ChartSeries& series, const ChartPoint& point) {
  const auto written = [&](double value) { return value_text(value, chart.y.unit); };
  const std::string interval =
      has_interval(point) ? fmt::format(" ({} to {})", written(*point.low), written(*point.high)) : "";
  return fmt::format("{}, {}: {}{}", series.label, place_text(chart, point.x), written(point.y), interval);
}

Range range_of_y(const Chart& chart) {
  Range range;
  for (const ChartSeries& series : chart.series) {
    for (const ChartPoint& point : series.points) {
      range.cover(point.y);
      if (point.low) range.cover(*point.low);
      if (point.high) range.cover(*point.high);
    }
  }
  if (chart.reference) {
    range.cover(*chart.reference * (1 - chart.tolerance));
    range.cover(*chart.reference * (1 + chart.tolerance));
  }
  return range;
}

}  // namespace svg

std::string svg_page_colours(bool dark) {
  std::string made;
  for (const svg::Colour& colour : svg::colours)
    made += fmt::format("--{}:{};", colour.name, dark ? colour.dark : colour.light);
  return made;
}

}  // namespace breakeven
