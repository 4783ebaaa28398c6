#include "reports/markdown.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "reports/comparison.h"
#include "reports/figures.h"
#include "reports/markdown_text.h"
#include "reports/text.h"

namespace breakeven {
namespace {

/// What tells the machines of several results apart: the host's name, and where names are the same the number
/// of the file as well.
std::vector<std::string> machine_names(std::span<const Result> results) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const auto same = std::count_if(results.begin(), results.end(), [&](const Result& other) {
      return other.host.name == results[i].host.name;
    });
    const std::string name = printable(results[i].host.name.empty() ? "unnamed" : results[i].host.name);
    names.push_back(same == 1 ? name : fmt::format("{} ({})", name, i + 1));
  }
  return names;
}

std::string heading(std::span<const Result> results) {
  std::vector<std::string> titles;
  for (const Result& run : results) {
    std::string title = markdown_text(config_title(run));
    if (!title.empty() && std::find(titles.begin(), titles.end(), title) == titles.end()) {
      titles.push_back(std::move(title));
    }
  }
  return titles.empty() ? "# Measurements\n" : fmt::format("# {}\n", fmt::join(titles, " · "));
}

std::string machines(std::span<const Result> results, const std::vector<std::string>& names) {
  std::string text = "\n| machine | hardware | system | backends | measured |\n|---|---|---|---|---|\n";
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Result& run = results[i];
    std::vector<std::string> backends;
    for (const BackendRecord& backend : run.backends) {
      if (backend.available) backends.push_back(markdown_text(describe_backend(backend)));
    }
    std::string hardware = markdown_text(describe_host(run.host));
    for (const Gpu& gpu : run.host.gpus) hardware += "<br>" + markdown_text(describe_gpu(gpu));
    text +=
        markdown_row({markdown_text(names[i]), hardware, markdown_text(run.host.os),
                      fmt::format("{}", fmt::join(backends, "<br>")),
                      fmt::format("{}, breakeven {}{}", markdown_text(run.created),
                                  markdown_text(run.tool_version), run.complete ? "" : ", **incomplete**")});
  }
  return text;
}

std::string table(const ProblemGroup& group, std::span<const Result> results,
                  const std::vector<std::string>& names) {
  const std::vector<Figure> shown = figures(group);
  std::vector<std::string> header{"problem"};
  std::vector<std::string> rule{"---"};
  if (results.size() > 1) {
    header.emplace_back("machine");
    rule.emplace_back("---");
  }
  header.emplace_back("backend");
  rule.emplace_back("---");
  for (const Figure& figure : shown) {
    header.push_back(figure.header);
    rule.emplace_back("---:");
  }
  header.emplace_back("compared");
  rule.emplace_back("---");
  std::string text =
      fmt::format("\n## {}\n\n{}{}", markdown_text(group.op), markdown_row(header), markdown_row(rule));
  for (const Problem& problem : group.problems) {
    bool first = true;
    for (const Entry& entry : problem.entries) {
      const CaseResult& result = *entry.result;
      std::vector<std::string> cells{first ? markdown_text(problem.title) : ""};
      first = false;
      if (results.size() > 1)
        cells.push_back(markdown_text(names[static_cast<std::size_t>(entry.run - results.data())]));
      cells.push_back(markdown_text(result.backend));
      for (const Figure& figure : shown) cells.push_back(markdown_text(figure.text(entry)));
      if (result.status != Status::ok) {
        cells.push_back(fmt::format("**{}**", markdown_text(name(result.status))));
      } else if (entry.standing == Standing::fastest) {
        cells.push_back(fmt::format("**{}**", describe_standing(entry)));
      } else {
        cells.push_back(markdown_text(describe_standing(entry)));
      }
      text += markdown_row(cells);
    }
  }
  return text;
}

std::string findings(std::string_view title, const std::vector<Finding>& found) {
  if (found.empty()) return "";
  std::string text = fmt::format("\n## {}\n\n", title);
  for (const Finding& finding : found) {
    const std::string extent = markdown_text(describe_extent(finding));
    text += fmt::format("- **{}**{}{}\n", markdown_text(finding.text), extent.empty() ? "" : " ", extent);
  }
  return text;
}

std::string unavailable(std::span<const Result> results, const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < results.size(); ++i) {
    for (const BackendRecord& backend : results[i].backends) {
      if (backend.available) continue;
      const std::string reason = markdown_text(backend.reason);
      text += fmt::format("- **{}**{}: {}\n", markdown_text(backend.name),
                          results.size() > 1 ? fmt::format(" on {}", markdown_text(names[i])) : "",
                          reason.empty() ? "no reason was given" : reason);
    }
  }
  return text.empty() ? "" : "\n## Backends that are not available\n\n" + text;
}

}  // namespace

std::string markdown_report(std::span<const Result> results) {
  const std::vector<std::string> names = machine_names(results);
  std::string text = heading(results) + machines(results, names);
  const std::vector<ProblemGroup> groups = compare(results);
  for (const ProblemGroup& group : groups) text += table(group, results, names);
  if (groups.empty()) text += "\nNo case was measured.\n";
  text += findings("Not ok", find_failures(results));
  text += findings("Warnings", find_warnings(results));
  return text + unavailable(results, names);
}

}  // namespace breakeven
