#include "reports/terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/comparison.h"
#include "reports/figures.h"
#include "reports/page.h"
#include "reports/text.h"

namespace breakeven {
namespace {

constexpr std::size_t indent = 2;  // of rows under their problem
constexpr std::size_t gap = 2;     // between columns

std::string_view standing_colour(const Entry& entry) {
  switch (entry.standing) {
    case Standing::fastest:
      return colour::best;
    case Standing::tied:
      return colour::green;
    case Standing::slower:
      return entry.ratio >= 2 ? colour::yellow : colour::none;
    case Standing::alone:
    case Standing::none:
      return colour::none;
  }
  return colour::none;
}

std::string_view status_colour(Status status) {
  switch (status) {
    case Status::ok:
      return colour::green;
    case Status::unsupported:
      return colour::dim;
    case Status::interrupted:
      return colour::yellow;
    case Status::wrong:
    case Status::implausible:
    case Status::out_of_memory:
    case Status::failed:
    case Status::timed_out:
      return colour::red;
  }
  return colour::none;
}

struct Column {
  Figure figure;
  std::string header;
  std::size_t width = 0;
};

/// A group's table, laid out for a width: figures that do not fit stand in a line of their own under the row.
struct Layout {
  std::size_t names = 0;  // width of the first column, indent included
  std::vector<Column> columns;
  std::vector<Column> below;
};

Layout lay_out(const ProblemGroup& group, const Page& page) {
  constexpr std::string_view heading = "compared";
  Layout layout{.names = display_width(page.show(group.op)), .columns = {}, .below = {}};
  std::size_t standings = heading.size();
  std::vector<Column> all;
  for (Figure& figure : figures(group)) {
    std::string header = page.show(figure.header);
    const std::size_t width = display_width(header);
    all.push_back({.figure = std::move(figure), .header = std::move(header), .width = width});
  }
  for (const Problem& problem : group.problems) {
    for (const Entry& entry : problem.entries) {
      layout.names =
          std::max(layout.names, indent + display_width(page.show(printable(entry.result->backend))));
      standings = std::max(standings, display_width(describe_standing(entry)));
      for (Column& column : all) {
        column.width = std::max(column.width, display_width(page.show(column.figure.text(entry))));
      }
    }
  }
  std::size_t used = gap + standings;
  for (const Column& column : all) {
    if (column.figure.essential) used += gap + column.width;
  }
  constexpr std::size_t shortest_name = indent + 8;
  layout.names = std::min(
      layout.names, std::clamp(page.width() - std::min(used, page.width()), shortest_name, page.width() / 3));
  used += layout.names;
  for (Column& column : all) {
    const bool essential = column.figure.essential;
    if (!essential && used + gap + column.width > page.width()) {
      layout.below.push_back(std::move(column));
      continue;
    }
    if (!essential) used += gap + column.width;
    layout.columns.push_back(std::move(column));
  }
  return layout;
}

void write_row(Page& page, const Layout& layout, const Entry& entry) {
  const CaseResult& result = *entry.result;
  const std::string spaces(gap, ' ');
  page.write(std::string(indent, ' '));
  page.write(
      pad_right(page.cut(printable(result.backend), layout.names - indent), layout.names - indent + gap));
  if (result.status != Status::ok) {
    std::string status(name(result.status));
    std::replace(status.begin(), status.end(), '_', ' ');
    page.wrapped(status + ":", status_colour(result.status), explain(result), colour::dim, layout.names + gap,
                 2, 4);
    return;
  }
  for (const Column& column : layout.columns) {
    page.write(pad_left(page.show(column.figure.text(entry)), column.width));
    page.write(spaces);
  }
  page.write(describe_standing(entry), standing_colour(entry));
  page.end_line();
  std::string line;  // of whole figures: one broken in two is hard to read
  const auto write_line = [&] {
    if (line.empty()) return;
    page.write(std::string(layout.names + gap, ' '));
    page.write(line, colour::dim);
    page.end_line();
    line.clear();
  };
  for (const Column& column : layout.below) {
    const std::string text = page.show(column.figure.text(entry));
    if (text.empty()) continue;
    const std::string said = fmt::format("{} {}", column.header, text);
    if (layout.names + gap + display_width(line) + 2 + display_width(said) > page.width()) write_line();
    line += fmt::format("{}{}", line.empty() ? "" : ", ", said);
  }
  write_line();
}

void write_group(Page& page, const ProblemGroup& group) {
  const Layout layout = lay_out(group, page);
  page.end_line();
  page.write(pad_right(page.cut(group.op, layout.names), layout.names + gap), colour::heading);
  for (const Column& column : layout.columns) {
    page.write(pad_left(column.header, column.width) + std::string(gap, ' '), colour::dim);
  }
  page.write("compared", colour::dim);
  page.end_line();
  for (const Problem& problem : group.problems) {
    page.paragraph(problem.title, colour::bold, 4, 3);
    for (const Entry& entry : problem.entries) write_row(page, layout, entry);
  }
}

void write_head(Page& page, const Result& result) {
  const std::string title = config_title(result);
  if (!title.empty()) page.paragraph(title, colour::bold, 0, 3);
  std::string where = printable(result.host.name);
  const std::string machine = describe_host(result.host);
  if (!machine.empty()) where += (where.empty() ? "" : ": ") + machine;
  if (!where.empty()) page.paragraph(where, colour::dim, 2, 3);
  for (const Gpu& gpu : result.host.gpus) page.paragraph(describe_gpu(gpu), colour::dim, 2, 3);
  std::vector<std::string> backends;
  for (const BackendRecord& backend : result.backends) {
    if (backend.available) backends.push_back(describe_backend(backend));
  }
  if (!backends.empty()) {
    page.paragraph(fmt::format("{}", fmt::join(backends, " · ")), colour::dim, 2, 6);
  }
}

void write_counts(Page& page, const Result& result, const std::vector<ProblemGroup>& groups) {
  std::size_t problems = 0;
  for (const ProblemGroup& group : groups) problems += group.problems.size();
  page.end_line();
  if (problems == 0) {
    page.paragraph("No case was measured", colour::bold, 0, 1);
  } else {
    const std::string head = fmt::format("{} problem{}, {} result{}:", problems, problems == 1 ? "" : "s",
                                         result.cases.size(), result.cases.size() == 1 ? "" : "s");
    page.write(head, colour::bold);
    std::size_t used = head.size();
    const auto counts = count_statuses({&result, 1});
    for (auto count = counts.begin(); count != counts.end(); ++count) {
      std::string status = fmt::format("{} {}", count->second, name(count->first));
      std::replace(status.begin(), status.end(), '_', ' ');
      const bool last = std::next(count) == counts.end();
      if (used + status.size() + 2 > page.width()) {
        page.end_line();
        page.write(" ");
        used = 1;
      }
      page.write(" ");
      page.write(status, status_colour(count->first));
      page.write(last ? "" : ",");
      used += status.size() + 2;
    }
    page.end_line();
  }
  if (!result.complete)
    page.item("incomplete:", colour::yellow, "the run ended before everything was measured");
}

}  // namespace

std::string terminal_report(const Result& result, const TerminalStyle& style) {
  Page page(style);
  const std::vector<ProblemGroup> groups = compare({&result, 1});
  write_head(page, result);
  for (const ProblemGroup& group : groups) write_group(page, group);
  write_counts(page, result, groups);
  for (const Finding& finding : find_warnings({&result, 1})) {
    page.item("warning:", colour::yellow, fmt::format("{} {}", finding.text, describe_extent(finding)));
  }
  for (const BackendRecord& backend : result.backends) {
    if (backend.available) continue;
    const std::string reason = printable(backend.reason);
    page.item(printable(backend.name) + " is not available:", colour::dim,
              reason.empty() ? "no reason was given" : reason);
  }
  return page.take();
}

}  // namespace breakeven
