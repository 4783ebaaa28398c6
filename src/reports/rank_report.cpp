#include "reports/rank_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "reports/comparison.h"
#include "reports/render/markdown_text.h"
#include "reports/rank_text.h"
#include "reports/text.h"
#include "reports/document/numbers.h"

namespace breakeven {
namespace {

constexpr std::size_t most_columns = 8;  // of machines, in a table that people can read

/// "±1.2%", half the interval; empty without one.
std::string spread_text(const Estimate& estimate) {
  const auto spread = relative_half_width(estimate);
  return spread ? fmt::format("±{}", format_percent(*spread)) : "";
}

std::string time_text(const Ranked& one) {
  return one.seconds ? format_seconds(one.seconds->value) : "";
}

std::string behind_text(const Ranked& one) {
  if (!one.behind) return "";
  return fmt::format("{}{:.3g}x", one.behind->interval ? "" : "~", one.behind->value);
}

/// How often the work is done for one of what it takes.
std::string runs_per(const std::optional<Estimate>& amount, double unit) {
  return amount ? format_number(unit / amount->value) : "";
}

std::string price_text(const Ranking& ranking) {
  return ranking.prices ? ranking.prices->currency : "";
}

std::string names_text(const std::vector<const BackendRecord*>& backends) {
  std::vector<std::string> names;
  names.reserve(backends.size());
  for (const BackendRecord* backend : backends) names.push_back(backend->name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string case_table(const Ranking& ranking) {
  const std::size_t shown = std::min(ranking.ranked.size(), most_columns);
  std::vector<std::string> header{"case"};
  std::vector<std::string> rule{"---"};
  if (ranking.weighted) {
    header.emplace_back("weight");
    rule.emplace_back("---:");
  }
  for (std::size_t i = 0; i < shown; ++i) {
    header.push_back(markdown_text(ranking.ranked[i].candidate.name));
    rule.emplace_back("---:");
  }
  std::string text = fmt::format("\n## Case by case\n\n{}{}", markdown_row(header), markdown_row(rule));
  for (std::size_t e = 0; e < ranking.entries.size(); ++e) {
    std::vector<std::string> row{markdown_text(ranking.entries[e].title)};
    if (ranking.weighted) row.push_back(format_number(ranking.entries[e].weight));
    for (std::size_t i = 0; i < shown; ++i) {
      const RankedPart& part = ranking.ranked[i].parts[e];
      row.push_back(part.seconds ? fmt::format("{} {}{}", format_seconds(part.seconds->value),
                                               markdown_text(part.backend),
                                               part.in_place ? ", **" + markdown_text(part.dtype) + "**" : "")
                                 : markdown_text(part.unknown));
    }
    text += markdown_row(row);
  }
  if (shown < ranking.ranked.size())
    text += fmt::format("\nOf the first {} machines; all are in the JSON.\n", shown);
  return text;
}

std::string fit_table(const Ranking& ranking) {
  if (ranking.fits.empty()) return "";
  std::string text = "\n## What fits into memory\n\n| the largest | machine | that fits |\n|---|---|---:|\n";
  for (const RankedFit& fit : ranking.fits) {
    for (const auto& [candidate, of] : fit.largest)
      text += markdown_row({markdown_text(fit.title), markdown_text(candidate), std::to_string(of.largest)});
  }
  return text;
}

std::string software_table(const Ranking& ranking) {
  std::string text = "\n## Software seen\n\n| machine | there | not there |\n|---|---|---|\n";
  for (const Ranked& one : ranking.ranked) {
    text +=
        markdown_row({markdown_text(one.candidate.name), markdown_text(names_text(one.candidate.backends)),
                      markdown_text(names_text(one.candidate.lacking))});
  }
  return text;
}

std::string price_table(const Ranking& ranking) {
  if (!ranking.prices) return "";
  std::string text = "\n## Prices\n\n| machine | offer | price | source | of |\n|---|---|---:|---|---|\n";
  for (const Ranked& one : ranking.ranked) {
    for (const auto& [offer, amount] :
         {std::pair(one.offer, one.offer ? fmt::format("{} an hour", *one.offer->per_hour) : ""),
          std::pair(one.to_buy, one.to_buy ? fmt::format("{} to buy", *one.to_buy->purchase) : "")}) {
      if (!offer) continue;
      text += markdown_row({markdown_text(one.candidate.name), markdown_text(offer->name),
                            fmt::format("{} {}", markdown_text(offer->from.currency), amount),
                            markdown_text(offer->from.source), markdown_text(offer->from.date)});
    }
  }
  return text;
}

}  // namespace

std::string rank_terminal(const Ranking& ranking, const TerminalStyle& style) {
  Page page(style);
  if (!ranking.title.empty()) page.paragraph(printable(ranking.title), colour::bold, 0, 3);
  page.paragraph(work_text(ranking), colour::dim, 2, 3);
  page.end_line();
  std::size_t names = 8;
  for (const Ranked& one : ranking.ranked)
    names = std::max(names, display_width(page.show(printable(one.candidate.name))));
  const bool energy = std::any_of(ranking.ranked.begin(), ranking.ranked.end(),
                                  [](const Ranked& one) { return one.joules.has_value(); });
  constexpr std::size_t column = 11;
  const std::size_t figures = 8 + column * (energy ? 3 : 2) + (ranking.prices ? column : 0) + 8;
  names = std::min(names, page.width() > figures + 12 ? page.width() - figures : 12);
  const auto cell = [&](std::string_view text) { page.write(pad_left(page.show(text), column)); };
  page.write(pad_right("place", 6) + pad_right("machine", names));
  cell("time");
  page.write(pad_left("", 7));
  cell("behind");
  if (energy) cell("runs/kWh");
  if (ranking.prices) cell("runs/" + printable(price_text(ranking)));
  page.end_line();
  for (const Ranked& one : ranking.ranked) {
    page.write(pad_right(place_text(one, ranking), 6));
    page.write(pad_right(page.cut(printable(one.candidate.name), names), names),
               one.place == 1 ? colour::best : colour::none);
    cell(time_text(one));
    page.write(pad_left(page.show(one.seconds ? spread_text(*one.seconds) : ""), 7), colour::dim);
    cell(behind_text(one));
    if (energy) cell(runs_per(one.joules, joules_per_kwh));
    if (ranking.prices) cell(runs_per(one.cost, 1));
    page.end_line();
    for (const std::string& apart : apart_texts(one)) page.item("      ", colour::none, printable(apart));
    for (const std::string& unknown : unknown_texts(one, ranking))
      page.item("      ", colour::none, printable(unknown));
  }
  if (ranking.prices || energy) {
    std::vector<std::string> front;
    for (const Ranked& one : ranking.ranked) {
      if (one.on_front) front.push_back(one.candidate.name);
    }
    if (!front.empty())
      page.item("Pareto front:", colour::heading, printable(fmt::format("{}", fmt::join(front, "; "))));
  }
  for (const Payback& payback : ranking.paybacks)
    page.item("pays:", colour::heading, printable(payback_text(payback)));
  for (const RankedFit& fit : ranking.fits) {
    std::vector<std::string> largest;
    largest.reserve(fit.largest.size());
    for (const auto& [candidate, of] : fit.largest)
      largest.push_back(fmt::format("{} on {}", of.largest, candidate));
    page.item("fits:", colour::heading,
              printable(fmt::format("{}: {}", fit.title, fmt::join(largest, "; "))));
  }
  if (!ranking.nobody.empty())
    page.item("not measured by anybody:", colour::yellow,
              printable(fmt::format("{}", fmt::join(ranking.nobody, "; "))));
  for (const std::string& note : ranking.notes) page.item("note:", colour::yellow, printable(note));
  return page.take();
}

std::string rank_answers(const Ranking& ranking) {
  std::string text;
  for (const std::string& sentence : rank_sentences(ranking)) text += printable(sentence) + "\n";
  for (const std::string& note : ranking.notes) text += printable(note) + "\n";
  return text;
}

std::string rank_markdown(const Ranking& ranking) {
  std::string text = fmt::format(
      "# {}\n\n{}\n\n", ranking.title.empty() ? "Machines side by side" : markdown_text(ranking.title),
      markdown_text(work_text(ranking)));
  const std::string currency = markdown_text(price_text(ranking));
  text += markdown_row({"place", "machine", "time", "", "behind", "runs a kWh",
                        currency.empty() ? "runs for the price" : "runs for 1 " + currency, "Pareto front"});
  text += "|---|---|---:|---:|---:|---:|---:|---|\n";
  for (const Ranked& one : ranking.ranked) {
    std::string machine = fmt::format("{}<br>{}", markdown_text(one.candidate.name),
                                      markdown_text(describe_host(one.candidate.host)));
    for (const std::string& apart : apart_texts(one))
      machine += fmt::format("<br>**{}**", markdown_text(apart));
    for (const std::string& unknown : unknown_texts(one, ranking)) machine += "<br>" + markdown_text(unknown);
    text += markdown_row({place_text(one, ranking), machine, time_text(one),
                          one.seconds ? spread_text(*one.seconds) : "", behind_text(one),
                          runs_per(one.joules, joules_per_kwh), runs_per(one.cost, 1),
                          one.on_front ? "yes" : ""});
  }
  if (!ranking.paybacks.empty()) text += "\n## When a GPU pays\n\n";
  for (const Payback& payback : ranking.paybacks)
    text += fmt::format("- {}\n", markdown_text(payback_text(payback)));
  if (!ranking.entries.empty()) text += case_table(ranking);
  text += fit_table(ranking) + software_table(ranking) + price_table(ranking);
  if (!ranking.nobody.empty()) text += "\n## Measured by nobody\n\n";
  for (const std::string& title : ranking.nobody) text += fmt::format("- {}\n", markdown_text(title));
  if (!ranking.notes.empty()) text += "\n";
  for (const std::string& note : ranking.notes) text += fmt::format("- {}\n", markdown_text(note));
  return text;
}

}  // namespace breakeven
