#include "reports/threshold_report.h"

#include <fmt/format.h>

#include <cmath>

#include "reports/comparison.h"
#include "reports/markdown_text.h"
#include "reports/text.h"
#include "reports/units.h"
#include "statistics/mean.h"

namespace breakeven {
namespace {

std::string seconds_text(const ThresholdStand& stand) {
  return stand.seconds ? format_seconds(*stand.seconds) : "";
}

/// "challenger 1.8x slower", by the mean of the launches.
std::string lead_text(const ThresholdPoint& point) {
  if (point.log_ratios.empty()) return point.reason.empty() ? "not measured" : printable(point.reason);
  const double ahead = mean(point.log_ratios);
  return ahead < 0 ? fmt::format("challenger, {:.2f}x", std::exp(-ahead))
                   : fmt::format("baseline, {:.2f}x", std::exp(ahead));
}

std::string cost_text(const BreakEven& found) {
  return fmt::format("{} launches at {} values", found.launches, found.values);
}

}  // namespace

std::string threshold_terminal(const Threshold& t, const TerminalStyle& style) {
  Page page(style);
  page.paragraph(printable(t.title), colour::bold, 0, 3);
  const std::string machine = describe_host(t.host);
  page.paragraph(fmt::format("{}: {}", printable(t.host.name), machine), colour::dim, 2, 3);
  for (const ThresholdAnswer& answer : t.answers) {
    page.end_line();
    page.paragraph(printable(answer.title), colour::heading, 2, 2);
    page.paragraph(fmt::format("  {}", printable(in_words(answer, t))), colour::bold, 2, 6);
    for (const ThresholdPoint& point : answer.points) {
      page.write(fmt::format("  {:>10}  ", point.value));
      page.write(pad_left(page.show(seconds_text(point.sides[0])), 9));
      page.write("  ");
      page.write(pad_left(page.show(seconds_text(point.sides[1])), 9));
      page.write("  ");
      page.write(page.cut(lead_text(point), page.width() - 36), colour::dim);
      page.end_line();
    }
    page.paragraph(fmt::format("  {}", cost_text(answer.found)), colour::dim, 2, 2);
    for (const std::string& note : answer.notes) page.item("note:", colour::yellow, printable(note));
  }
  for (const std::string& warning : t.warnings) page.item("warning:", colour::yellow, printable(warning));
  if (!t.complete) page.item("incomplete:", colour::yellow, "interrupted before everything was answered");
  return page.take();
}

std::string threshold_markdown(const Threshold& t) {
  std::string text = fmt::format("# {}\n\n{}: {}\n", markdown_text(t.title), markdown_text(t.host.name),
                                 markdown_text(describe_host(t.host)));
  if (t.unlike_precision) text += "\n**The sides compute in different types, and so not the same.**\n";
  for (const ThresholdAnswer& answer : t.answers) {
    text +=
        fmt::format("\n## {}\n\n**{}**\n\n", markdown_text(answer.title), markdown_text(in_words(answer, t)));
    text += fmt::format(
        "| {} | baseline | its time | challenger | its time | ahead |\n|---:|---|---:|---|---:|---|\n",
        markdown_text(t.parameter));
    for (const ThresholdPoint& point : answer.points) {
      text +=
          fmt::format("| {} | {} | {} | {} | {} | {} |\n", point.value, markdown_text(point.sides[0].backend),
                      markdown_text(seconds_text(point.sides[0])), markdown_text(point.sides[1].backend),
                      markdown_text(seconds_text(point.sides[1])), markdown_text(lead_text(point)));
    }
    text += fmt::format("\n{}\n", cost_text(answer.found));
    for (const std::string& note : answer.notes) text += fmt::format("- {}\n", markdown_text(note));
  }
  for (const std::string& warning : t.warnings) text += fmt::format("\n- {}\n", markdown_text(warning));
  if (!t.complete) text += "\n**Interrupted before everything was answered.**\n";
  return text;
}

}  // namespace breakeven
