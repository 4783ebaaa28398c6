#include "reports/markdown.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "reports/comparison.h"
#include "reports/figures.h"
#include "reports/text.h"

namespace breakeven {
namespace {

/// Text that Markdown shows as it is, in a table's cell too. GitHub turns a name behind @ into a mention even
/// where @ is escaped, but not across a comment.
std::string escape(std::string_view text) {
  std::string escaped;
  for (const char c : printable(text)) {
    switch (c) {
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '&':
        escaped += "&amp;";
        break;
      case '@':
        escaped += "@<!-- -->";
        break;
      case '\\':
      case '`':
      case '*':
      case '_':
      case '[':
      case ']':
      case '|':
      case '~':
      case '#':
      case '$':
      case '!':
        escaped += '\\';
        escaped += c;
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

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

std::string row(const std::vector<std::string>& escaped_cells) {
  return fmt::format("| {} |\n", fmt::join(escaped_cells, " | "));
}

std::string heading(std::span<const Result> results) {
  std::vector<std::string> titles;
  for (const Result& run : results) {
    std::string title = escape(config_title(run));
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
      if (backend.available) backends.push_back(escape(describe_backend(backend)));
    }
    std::string hardware = escape(describe_host(run.host));
    for (const Gpu& gpu : run.host.gpus) hardware += "<br>" + escape(describe_gpu(gpu));
    text +=
        row({escape(names[i]), hardware, escape(run.host.os), fmt::format("{}", fmt::join(backends, "<br>")),
             fmt::format("{}, breakeven {}{}", escape(run.created), escape(run.tool_version),
                         run.complete ? "" : ", **incomplete**")});
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
  std::string text = fmt::format("\n## {}\n\n{}{}", escape(group.op), row(header), row(rule));
  for (const Problem& problem : group.problems) {
    bool first = true;
    for (const Entry& entry : problem.entries) {
      const CaseResult& result = *entry.result;
      std::vector<std::string> cells{first ? escape(problem.title) : ""};
      first = false;
      if (results.size() > 1)
        cells.push_back(escape(names[static_cast<std::size_t>(entry.run - results.data())]));
      cells.push_back(escape(result.backend));
      for (const Figure& figure : shown) cells.push_back(escape(figure.text(result)));
      if (result.status != Status::ok) {
        cells.push_back(fmt::format("**{}**", escape(name(result.status))));
      } else if (entry.standing == Standing::fastest) {
        cells.push_back(fmt::format("**{}**", describe_standing(entry)));
      } else {
        cells.push_back(escape(describe_standing(entry)));
      }
      text += row(cells);
    }
  }
  return text;
}

std::string findings(std::string_view title, const std::vector<Finding>& found) {
  if (found.empty()) return "";
  std::string text = fmt::format("\n## {}\n\n", title);
  for (const Finding& finding : found) {
    const std::string extent = escape(describe_extent(finding));
    text += fmt::format("- **{}**{}{}\n", escape(finding.text), extent.empty() ? "" : " ", extent);
  }
  return text;
}

std::string unavailable(std::span<const Result> results, const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < results.size(); ++i) {
    for (const BackendRecord& backend : results[i].backends) {
      if (backend.available) continue;
      const std::string reason = escape(backend.reason);
      text += fmt::format("- **{}**{}: {}\n", escape(backend.name),
                          results.size() > 1 ? fmt::format(" on {}", escape(names[i])) : "",
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
