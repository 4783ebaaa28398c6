#include "reports/charts/svg_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "reports/charts/labels.h"
#include "reports/charts/svg.h"
#include "reports/text.h"

namespace breakeven {
namespace svg {
namespace {

struct Colour {
  std::string_view name, light, dark;
};
/// The colours of pictures. The accent and its shades are only for GPUs. The colours of series differ in
/// lightness, so that readers with colour blindness can distinguish them, and contrast with the background by
/// at least 3:1.
constexpr std::array<Colour, 15> colours{{{"ink", "#1c1e21", "#eceef0"},
                                          {"soft", "#667085", "#98a2b3"},
                                          {"line", "#e6e8eb", "#2c3036"},
                                          {"accent", "#c2410c", "#fb923c"},
                                          {"accent-2", "#6f2607", "#ffe3c2"},
                                          {"accent-3", "#d27a12", "#c05d17"},
                                          {"accent-4", "#a68566", "#c79f7d"},
                                          {"accent-5", "#3d1608", "#fcc419"},
                                          {"accent-6", "#e2574c", "#ff8a80"},
                                          {"series-1", "#1f6feb", "#5c9dff"},
                                          {"series-2", "#344054", "#b9c2cf"},
                                          {"series-3", "#8a94a6", "#8590a3"},
                                          {"series-4", "#0b3a7e", "#a9cbff"},
                                          {"series-5", "#4b93dd", "#3b78c9"},
                                          {"series-6", "#3a7f93", "#63b3c4"}}};

/// The path of a marker of radius `r` around (0, 0).
std::string shape_path(std::size_t shape, double r) {
  const auto times = [r](double factor) { return fmt::format("{:.1f}", factor * r); };
  static constexpr std::array shapes{"M-{0},0a{0},{0} 0 1 0 {1},0a{0},{0} 0 1 0 -{1},0z",  // circle
                                     "M-{2},-{2}H{2}V{2}H-{2}z",                           // square
                                     "M0,-{3}L{3},0L0,{3}L-{3},0z",                        // diamond
                                     "M0,-{3}L{3},{2}H-{3}z",                              // triangle
                                     "M0,{3}L-{3},-{2}H{3}z",                              // triangle
                                     "M-{3},-{4}H-{4}V-{3}H{4}V-{4}H{3}V{4}H{4}V{3}H-{4}V{4}H-{3}z"};  // plus
  return fmt::format(fmt::runtime(shapes.at(shape % shapes.size())), times(1), times(2), times(0.9),
                     times(1.25), times(0.45));
}

/// The name of the colour of the GPUs' series with this index.
std::string gpu_colour(std::size_t index) {
  const std::size_t shade = index % most_series + 1;
  return shade == 1 ? "accent" : fmt::format("accent-{}", shade);
}

std::vector<Look> looks_of(const Chart& chart) {
  static constexpr std::array<const char*, most_series> dashes{"", "7 3", "2 3", "10 3 2 3", "4 2", "1 2"};
  std::vector<Look> looks;
  std::size_t cpus = 0, gpus = 0;
  for (const ChartSeries& series : chart.series) {
    const std::size_t shape = has_bars(chart) ? 1 : cpus + gpus;
    if (series.is_limit) {
      looks.push_back({.colour = "soft", .dash = "4 3"});
    } else if (series.is_gpu) {
      looks.push_back({.colour = gpu_colour(gpus), .dash = dashes.at(gpus % most_series), .shape = shape});
      ++gpus;
    } else {
      looks.push_back({.colour = fmt::format("series-{}", cpus++ % most_series + 1), .shape = shape});
    }
  }
  return looks;
}

}  // namespace

Picture::Picture(const Chart& of, double wide, bool for_page)
    : chart(of), width(wide), looks(looks_of(of)), for_page_(for_page) {}

std::string Picture::colour(std::string_view name) const {
  if (for_page_) return fmt::format("var(--{})", name);
  return std::string(std::ranges::find(colours, name, &Colour::name)->light);
}

void Picture::text(double x, double y, std::string_view content, const TextLook& look) {
  const std::string anchor = look.anchor == "start" ? "" : fmt::format(R"( text-anchor="{}")", look.anchor);
  svg += fmt::format(R"(<text x="{:.1f}" y="{:.1f}" fill="{}"{}{}>{}{}</text>)"
                     "\n",
                     x, y, colour(look.colour), anchor, look.bold ? R"( font-weight="600")" : "",
                     tooltip(look.full == content ? std::string_view() : look.full), xml_text(content));
}

void Picture::path(std::string_view kind, std::string_view d, std::string_view attributes) {
  svg += fmt::format("<path{} d=\"{}\" {}/>\n", kind.empty() ? "" : fmt::format(" class=\"{}\"", kind), d,
                     attributes);
}

void Picture::line(Spot from, Spot to, std::string_view name, double line_width, std::string_view dash) {
  path("", path_through({from, to}),
       fmt::format(R"(stroke="{}" stroke-width="{}"{})", colour(name), line_width, dashes_text(dash)));
}

void Picture::rectangle(std::string_view kind, Spot corner, double wide, double high, std::string_view name,
                        double opacity) {
  svg += fmt::format(
      R"(<rect class="{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" fill="{}" fill-opacity="{}"/>)"
      "\n",
      kind, corner.x, corner.y, wide, high, colour(name), opacity);
}

void Picture::marker(Spot at, const Look& look, double radius, std::string_view tip) {
  svg += fmt::format(
      R"svg(<g class="point" transform="translate({:.1f},{:.1f})">{}<path d="{}" fill="{}"/></g>)svg"
      "\n",
      at.x, at.y, tooltip(tip), shape_path(look.shape, radius), colour(look.colour));
}

void Picture::interval_bar(double low, double high, double across, bool along_x, std::string_view name) {
  constexpr double cap = 3;
  const char* form = along_x ? "M{0:.1f},{2:.1f}V{3:.1f}M{0:.1f},{4:.1f}H{1:.1f}M{1:.1f},{2:.1f}V{3:.1f}"
                             : "M{2:.1f},{0:.1f}H{3:.1f}M{4:.1f},{0:.1f}V{1:.1f}M{2:.1f},{1:.1f}H{3:.1f}";
  path("interval", fmt::format(fmt::runtime(form), low, high, across - cap, across + cap, across),
       fmt::format(R"(stroke="{}" stroke-width="1.5" fill="none")", colour(name)));
}

void Picture::paragraph(const std::string& content, const TextLook& look) {
  for (const std::string& one : wrapped(content, width / (look.bold ? 1.15 : 1), 4)) {
    bottom += line_height;
    text(0, bottom - 4, one, look);
  }
}

void Picture::name_of_y() {
  if (chart.y.label.empty()) return;
  bottom += line_height;
  text(0, bottom - 3, shortened({chart.y.label}, width).front());
}

void Picture::legend() {
  constexpr double between = 16;
  const auto is_line = [&](const ChartSeries& s) { return chart.kind == Chart::Kind::lines || s.is_limit; };
  const double swatch = std::ranges::any_of(chart.series, is_line) ? 20 : 9;
  const double beside = swatch + 6;
  const std::vector<std::string> shown = shortened(labels_of(chart), width - beside);
  svg += "<g class=\"legend\">\n";
  double x = 0;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const double wide = beside + text_width(shown[i]);
    if (x > 0 && x + wide > width) {
      x = 0;
      bottom += line_height + 2;
    }
    const double y = bottom + line_height - 7;
    if (is_line(chart.series[i])) line({x, y}, {x + swatch, y}, looks[i].colour, 2, looks[i].dash);
    if (!chart.series[i].is_limit) marker({x + swatch / 2, y}, looks[i], marker_radius + 0.5, {});
    text(x + beside, y + 4, shown[i], {.colour = "ink", .full = chart.series[i].label});
    x += wide + between;
  }
  svg += "</g>\n";
  bottom += line_height + 6;
}

std::string tooltip(std::string_view text) {
  return text.empty() ? "" : fmt::format("<title>{}</title>", xml_text(text));
}

std::string dashes_text(std::string_view dash) {
  return dash.empty() ? "" : fmt::format(R"( stroke-dasharray="{}")", dash);
}

std::string path_through(const std::vector<Spot>& spots) {
  std::string path;
  for (const Spot& spot : spots)
    path += fmt::format("{}{:.1f},{:.1f}", path.empty() ? "M" : "L", spot.x, spot.y);
  return path;
}

std::vector<std::string> labels_of(const Chart& chart) {
  std::vector<std::string> labels;
  for (const ChartSeries& series : chart.series) labels.push_back(series.label);
  return labels;
}

bool has_rows(const Chart& chart) {
  return chart.kind != Chart::Kind::lines && chart.kind != Chart::Kind::points;
}

bool has_bars(const Chart& chart) {
  return chart.kind == Chart::Kind::bars && !chart.y.logarithmic;
}

bool has_interval(const ChartPoint& point) {
  return point.low.has_value() && point.high.has_value();
}

std::string place_text(const Chart& chart, double x) {
  if (!chart.categories.empty()) return chart.categories.at(static_cast<std::size_t>(x));
  return fmt::format("{}{}{}", chart.x.label, chart.x.label.empty() ? "" : " ", tick_text(x, chart.x.unit));
}

std::string point_text(const Chart& chart, const ChartSeries& series, const ChartPoint& point) {
  const auto written = [&](double value) { return value_text(value, chart.y.unit); };
  const std::string interval =
      has_interval(point) ? fmt::format(" ({} to {})", written(*point.low), written(*point.high)) : "";
  return fmt::format("{}, {}: {}{}", series.label, place_text(chart, point.x), written(point.y), interval);
}

Ticks::Ticks(const std::vector<double>& at, ChartUnit unit) : Ticks(at, tick_texts(at, unit)) {}

Ticks::Ticks(std::vector<double> at, std::vector<std::string> named)
    : values(std::move(at)), texts(std::move(named)) {
  for (const std::string& one : texts) widths.push_back(text_width(one));
}

double Ticks::widest() const {
  return widths.empty() ? 0 : *std::ranges::max_element(widths);
}

Range range_of_y(const Chart& chart) {
  Range range;
  for (const ChartSeries& series : chart.series) {
    for (const ChartPoint& point : series.points) {
      for (const auto& value : {std::optional(point.y), point.low, point.high}) {
        if (value) range.cover(*value);
      }
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
