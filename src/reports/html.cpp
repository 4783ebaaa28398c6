#include "reports/html.h"

#include <array>
#include <string_view>
#include <utility>

#include "reports/html_assets.h"
#include "reports/text.h"
#include "results/json_parts.h"
#include "version.h"

namespace breakeven {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const ChartAxis& axis) {
  return {{"label", axis.label}, {"logarithmic", axis.logarithmic}};
}

Json to_json(const Chart& chart) {
  constexpr std::array kinds{"lines", "points", "bars", "bars", "bars"};
  Json made{{"name", chart.name},
            {"title", chart.title},
            {"kind", kinds.at(static_cast<std::size_t>(chart.kind))},
            {"x", to_json(chart.x)},
            {"y", to_json(chart.y)},
            {"categories", chart.categories},
            {"series", Json::array()}};
  for (const ChartSeries& series : chart.series) {
    Json points = Json::array();
    for (const ChartPoint& point : series.points)
      points.push_back({point.x, point.y, number_or_null(point.low), number_or_null(point.high)});
    made["series"].push_back(
        {{"label", series.label}, {"limit", series.is_limit}, {"points", std::move(points)}});
  }
  return made;
}

Json to_json(const HtmlTable& table) {
  constexpr std::array kinds{"text", "number", "seconds", "joules", "percent", "spread"};
  Json made{{"title", table.title}, {"columns", Json::array()}, {"rows", table.rows}};
  for (const HtmlColumn& column : table.columns) {
    made["columns"].push_back({{"name", column.name},
                               {"cells", kinds.at(static_cast<std::size_t>(column.cells))},
                               {"choose", column.can_choose},
                               {"ifSeveral", column.if_several}});
  }
  return made;
}

Json printable_texts(const std::vector<std::string>& texts) {
  Json made = Json::array();
  for (const std::string& text : texts) made.push_back(printable(text));
  return made;
}

Json to_json(const HtmlMachine& machine) {
  return {{"name", printable(machine.name)},
          {"facts", printable_texts(machine.facts)},
          {"asides", printable_texts(machine.asides)},
          {"troubles", printable_texts(machine.troubles)}};
}

/// In a script element: nothing in it can end that.
std::string script_text(const Json& data) {
  const std::string text = text_of(data);
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

/// The page with what belongs at each of its marks.
std::string filled(std::string_view page,
                   const std::vector<std::pair<std::string_view, std::string_view>>& parts) {
  std::string made;
  for (const auto& [mark, text] : parts) {
    const std::size_t at = page.find(mark);
    made += page.substr(0, at);
    made += text;
    page.remove_prefix(at + mark.size());
  }
  made += page;
  return made;
}

}  // namespace

std::string html_text(const HtmlPage& page) {
  Json data{{"version", version},
            {"title", printable(page.title)},
            {"about", printable(page.about)},
            {"answers", printable_texts(page.answers)},
            {"charts", Json::array()},
            {"tables", Json::array()},
            {"failures", printable_texts(page.failures)},
            {"warnings", printable_texts(page.warnings)},
            {"machines", Json::array()}};
  for (const Chart& chart : page.charts) data["charts"].push_back(to_json(chart));
  for (const HtmlTable& table : page.tables) data["tables"].push_back(to_json(table));
  for (const HtmlMachine& machine : page.machines) data["machines"].push_back(to_json(machine));
  return filled(html_assets::page(), {{"/*STYLE*/", html_assets::style()},
                                      {"/*DATA*/", script_text(data)},
                                      {"/*CHART.JS*/", html_assets::chart_js()},
                                      {"/*SCRIPT*/", html_assets::script()}});
}

}  // namespace breakeven
