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

std::string amount_text(const ThresholdStand& stand, Quantity in) {
  const auto amount = stand.amount(in);
  if (!amount) return "";
  switch (in) {
    case Quantity::energy:
      return format_joules(*amount);
    case Quantity::cost:
      return fmt::format("{:.2e}", *amount);
    case Quantity::time:
      break;
  }
  return format_seconds(*amount);
}

/// "matmul, m = n = k, f32: in energy"
std::string title_of(const ThresholdAnswer& answer) {
  return answer.in == Quantity::time ? answer.title : fmt::format("{}: in {}", answer.title, name(answer.in));
}

/// Whose word the prices are; empty without any.
std::string prices_text(const Threshold& t) {
  std::string text;
  for (std::size_t side = 0; side < 2; ++side) {
    if (const auto& price = t.sides[side].price)
      text += fmt::format("{}{} at {} {} an hour ({}, {})", text.empty() ? "" : "; ",
                          side == 0 ? "the baseline" : "the challenger", price->per_hour,
                          price->from.currency, price->from.source, price->from.date);
  }
  return text;
}

/// "challenger, 1.80x", by the mean of the launches.
std::string lead_text(const ThresholdPoint& point) {
  if (point.log_ratios.empty()) return point.reason.empty() ? "not measured" : printable(point.reason);
  const double ahead = mean(point.log_ratios);
  return ahead < 0 ? fmt::format("challenger, {:.2f}x", std::exp(-ahead))
                   : fmt::format("baseline, {:.2f}x", std::exp(ahead));
}

std::string cost_text(const BreakEven& found, const Threshold& t) {
  return t.from_results ? fmt::format("{} values measured on both", found.values)
                        : fmt::format("{} launches at {} values", found.launches, found.values);
}

/// The machines that were measured, each with what it is.
std::vector<std::string> machine_texts(const Threshold& t) {
  if (!t.from_results) return {fmt::format("{}: {}", printable(t.host.name), describe_host(t.host))};
  std::vector<std::string> texts;
  for (const ThresholdContender& side : t.sides) {
    if (side.host) texts.push_back(fmt::format("{}: {}", printable(side.name), describe_host(*side.host)));
  }
  return texts;
}

}  // namespace

std::string threshold_terminal(const Threshold& t, const TerminalStyle& style) {
  Page page(style);
  page.paragraph(printable(t.title), colour::bold, 0, 3);
  for (const std::string& machine : machine_texts(t)) page.paragraph(machine, colour::dim, 2, 3);
  if (const std::string prices = prices_text(t); !prices.empty())
    page.paragraph(printable(prices), colour::dim, 2, 3);
  for (const ThresholdAnswer& answer : t.answers) {
    page.end_line();
    page.paragraph(printable(title_of(answer)), colour::heading, 2, 2);
    page.paragraph(fmt::format("  {}", printable(in_words(answer, t))), colour::bold, 2, 6);
    page.paragraph(fmt::format("  {:>10}  {:>9}  {:>9}  ahead", t.parameter, "baseline", "challenger"),
                   colour::dim, 2, 2);
    for (const ThresholdPoint& point : answer.points) {
      page.write(fmt::format("  {:>10}  ", point.value));
      page.write(pad_left(page.show(amount_text(point.sides[0], answer.in)), 9));
      page.write("  ");
      page.write(pad_left(page.show(amount_text(point.sides[1], answer.in)), 9));
      page.write("  ");
      page.write(page.cut(lead_text(point), page.width() - 36), colour::dim);
      page.end_line();
    }
    page.paragraph(fmt::format("  {}", cost_text(answer.found, t)), colour::dim, 2, 2);
    if (const std::string note = medians_note(answer, t.parameter); !note.empty())
      page.item("note:", colour::yellow, printable(note));
    for (const std::string& note : answer.notes) page.item("note:", colour::yellow, printable(note));
  }
  for (const std::string& warning : t.warnings) page.item("warning:", colour::yellow, printable(warning));
  if (!t.complete) page.item("incomplete:", colour::yellow, "interrupted before everything was answered");
  return page.take();
}

std::string threshold_markdown(const Threshold& t) {
  std::string text = fmt::format("# {}\n", markdown_text(t.title));
  for (const std::string& machine : machine_texts(t)) text += fmt::format("\n{}\n", markdown_text(machine));
  if (const std::string prices = prices_text(t); !prices.empty())
    text += fmt::format("\n{}\n", markdown_text(prices));
  if (t.unlike_precision) text += "\n**The sides compute in different types, and so not the same.**\n";
  for (const ThresholdAnswer& answer : t.answers) {
    text += fmt::format("\n## {}\n\n**{}**\n\n", markdown_text(title_of(answer)),
                        markdown_text(in_words(answer, t)));
    text += fmt::format(
        "| {} | baseline | its {} | challenger | its {} | ahead |\n|---:|---|---:|---|---:|---|\n",
        markdown_text(t.parameter), name(answer.in), name(answer.in));
    for (const ThresholdPoint& point : answer.points) {
      text += fmt::format(
          "| {} | {} | {} | {} | {} | {} |\n", point.value, markdown_text(point.sides[0].backend),
          markdown_text(amount_text(point.sides[0], answer.in)), markdown_text(point.sides[1].backend),
          markdown_text(amount_text(point.sides[1], answer.in)), markdown_text(lead_text(point)));
    }
    text += fmt::format("\n{}\n", cost_text(answer.found, t));
    if (const std::string note = medians_note(answer, t.parameter); !note.empty())
      text += fmt::format("- {}\n", markdown_text(note));
    for (const std::string& note : answer.notes) text += fmt::format("- {}\n", markdown_text(note));
  }
  for (const std::string& warning : t.warnings) text += fmt::format("\n- {}\n", markdown_text(warning));
  if (!t.complete) text += "\n**Interrupted before everything was answered.**\n";
  return text;
}

}  // namespace breakeven
