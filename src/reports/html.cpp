#include "reports/html.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/charts.h"
#include "reports/comparison.h"
#include "reports/headlines.h"
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
  constexpr std::array kinds{"lines", "points", "bars"};
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

Json machine_json(const Result& run) {
  Json made{{"name", printable(run.host.name)},
            {"hardware", describe_host(run.host)},
            {"gpus", Json::array()},
            {"system", printable(fmt::format("{}, {}", run.host.os, run.host.kernel))},
            {"title", config_title(run)},
            {"created", printable(run.created)},
            {"version", printable(run.tool_version)},
            {"complete", run.complete},
            {"backends", Json::array()},
            {"missing", Json::array()}};
  for (const Gpu& gpu : run.host.gpus) made["gpus"].push_back(describe_gpu(gpu));
  for (const BackendRecord& backend : run.backends) {
    if (backend.available) {
      made["backends"].push_back(describe_backend(backend));
    } else {
      made["missing"].push_back(fmt::format("{}: {}", printable(backend.name), printable(backend.reason)));
    }
  }
  return made;
}

/// A row of the table: the page names its columns.
Json row_json(const std::string& op, const Problem& problem, const Entry& entry) {
  const CaseResult& c = *entry.result;
  const bool is_timed = c.has_time();
  const auto interval = is_timed ? c.seconds->interval() : std::nullopt;
  const auto per_second = [&](double amount) {
    return is_timed && amount > 0 ? number_or_null(amount / c.seconds->median) : Json(nullptr);
  };
  std::string note = c.status == Status::ok ? printable(c.algorithm) : explain(c);
  for (const std::string& warning : c.warnings)
    note += fmt::format("{}{}", note.empty() ? "" : "; ", printable(warning));
  if (c.fit) note = fmt::format("largest that fits: {}", c.fit->largest);
  return {op,
          problem.title,
          printable(entry.run->host.name),
          printable(c.backend),
          printable(c.device),
          printable(c.dtype),
          name(c.status),
          is_timed ? number_or_null(c.seconds->median) : Json(nullptr),
          interval ? number_or_null((interval->high - interval->low) / 2 / c.seconds->median) : Json(nullptr),
          describe_standing(entry),
          c.samples == 0 ? per_second(c.flop * 1e-9) : Json(nullptr),
          per_second(c.bytes * 1e-9),
          per_second(static_cast<double>(c.samples)),
          is_timed ? number_or_null(c.joules) : Json(nullptr),
          entry.roofline ? number_or_null(entry.roofline->share) : Json(nullptr),
          note};
}

Json findings_json(const std::vector<Finding>& findings) {
  Json all = Json::array();
  for (const Finding& finding : findings)
    all.push_back(fmt::format("{} {}", finding.text, describe_extent(finding)));
  return all;
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

std::string html_report(std::span<const Result> results) {
  Json data{{"version", version},
            {"answers", headlines(results)},
            {"machines", Json::array()},
            {"charts", Json::array()},
            {"rows", Json::array()},
            {"failures", findings_json(find_failures(results))},
            {"warnings", findings_json(find_warnings(results))}};
  for (const Result& run : results) data["machines"].push_back(machine_json(run));
  for (const Chart& chart : charts(results)) data["charts"].push_back(to_json(chart));
  for (const ProblemGroup& group : compare(results)) {
    for (const Problem& problem : group.problems) {
      for (const Entry& entry : problem.entries) data["rows"].push_back(row_json(group.op, problem, entry));
    }
  }
  return filled(html_assets::page(), {{"/*STYLE*/", html_assets::style()},
                                      {"/*DATA*/", script_text(data)},
                                      {"/*CHART.JS*/", html_assets::chart_js()},
                                      {"/*SCRIPT*/", html_assets::script()}});
}

}  // namespace breakeven
