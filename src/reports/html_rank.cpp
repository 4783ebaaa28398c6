#include "reports/html_rank.h"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "reports/comparison.h"
#include "reports/html.h"
#include "reports/charts/ranking_charts.h"
#include "reports/rank_text.h"
#include "reports/text.h"
#include "results/json_parts.h"

namespace breakeven {
namespace {

using Json = nlohmann::ordered_json;
using enum HtmlCells;

Json value_of(const std::optional<Estimate>& estimate) {
  return estimate ? number_or_null(estimate->value) : Json(nullptr);
}

Json spread_of(const std::optional<Estimate>& estimate) {
  return estimate ? number_or_null(relative_half_width(*estimate)) : Json(nullptr);
}

Json runs_for(const std::optional<Estimate>& amount, double unit) {
  return amount ? number_or_null(unit / amount->value) : Json(nullptr);
}

HtmlTable order_table(const Ranking& ranking) {
  const std::string currency = ranking.prices ? ranking.prices->currency : "the price";
  HtmlTable table{.title = "The order",
                  .columns = {{.name = "place"},
                              {.name = "machine"},
                              {.name = "time", .cells = seconds},
                              {.name = "95 %", .cells = spread},
                              {.name = "times the first's", .cells = number},
                              {.name = "energy", .cells = joules},
                              {.name = "runs a kWh", .cells = number},
                              {.name = printable("cost in " + currency), .cells = number},
                              {.name = printable("runs for 1 " + currency), .cells = number},
                              {.name = "Pareto front"},
                              {.name = "notes"}}};
  for (const Ranked& one : ranking.ranked) {
    std::vector<std::string> notes = apart_texts(one);
    for (std::string& unknown : unknown_texts(one, ranking)) notes.push_back(std::move(unknown));
    table.rows.push_back({place_text(one, ranking), printable(one.candidate.name), value_of(one.seconds),
                          spread_of(one.seconds), value_of(one.behind), value_of(one.joules),
                          runs_for(one.joules, joules_per_kwh), value_of(one.cost), runs_for(one.cost, 1),
                          one.on_front ? "yes" : "", printable(fmt::format("{}", fmt::join(notes, "; ")))});
  }
  return table;
}

HtmlTable case_table(const Ranking& ranking) {
  HtmlTable table{.title = "Case by case",
                  .columns = {{.name = "problem", .can_choose = true},
                              {.name = "weight", .cells = number, .if_several = true},
                              {.name = "machine", .can_choose = true, .if_several = true},
                              {.name = "time", .cells = seconds},
                              {.name = "95 %", .cells = spread},
                              {.name = "energy", .cells = joules},
                              {.name = "backend", .can_choose = true},
                              {.name = "dtype", .can_choose = true},
                              {.name = "notes"}}};
  for (std::size_t e = 0; e < ranking.entries.size(); ++e) {
    const MixEntry& entry = ranking.entries[e];
    for (const Ranked& one : ranking.ranked) {
      const RankedPart& part = one.parts[e];
      table.rows.push_back(
          {printable(entry.title), number_or_null(entry.weight), printable(one.candidate.name),
           value_of(part.seconds), spread_of(part.seconds), value_of(part.joules), printable(part.backend),
           printable(part.dtype),
           part.in_place ? "in place of the type that was wanted first" : printable(part.unknown)});
    }
  }
  return table;
}

HtmlTable fit_table(const Ranking& ranking) {
  HtmlTable table{.title = "What fits into memory",
                  .columns = {{.name = "the largest", .can_choose = true},
                              {.name = "machine", .can_choose = true},
                              {.name = "that fits", .cells = number},
                              {.name = "notes"}}};
  for (const RankedFit& fit : ranking.fits) {
    for (const auto& [candidate, of] : fit.largest)
      table.rows.push_back({printable(fit.title), printable(candidate), of.largest, printable(of.limit)});
  }
  return table;
}

HtmlTable software_table(const Ranking& ranking) {
  HtmlTable table{.title = "Software seen",
                  .columns = {{.name = "machine", .can_choose = true},
                              {.name = "backend", .can_choose = true},
                              {.name = "there", .can_choose = true},
                              {.name = "notes"}}};
  const auto add = [&](const Ranked& one, const BackendRecord& backend, bool is_there) {
    table.rows.push_back({printable(one.candidate.name), printable(backend.name), is_there ? "yes" : "no",
                          is_there ? describe_backend(backend) : printable(backend.reason)});
  };
  for (const Ranked& one : ranking.ranked) {
    for (const BackendRecord* backend : one.candidate.backends) add(one, *backend, true);
    for (const BackendRecord* backend : one.candidate.lacking) add(one, *backend, false);
  }
  return table;
}

HtmlTable price_table(const Ranking& ranking) {
  HtmlTable table{.title = "Prices",
                  .columns = {{.name = "machine"},
                              {.name = "offer"},
                              {.name = "an hour", .cells = number},
                              {.name = "to buy", .cells = number},
                              {.name = "currency"},
                              {.name = "source"},
                              {.name = "of"}}};
  const auto add = [&](const Ranked& one, const Offer& offer, Json hourly, Json purchase) {
    table.rows.push_back({printable(one.candidate.name), printable(offer.name), std::move(hourly),
                          std::move(purchase), printable(offer.from.currency), printable(offer.from.source),
                          printable(offer.from.date)});
  };
  for (const Ranked& one : ranking.ranked) {
    if (one.offer) add(one, *one.offer, number_or_null(one.offer->per_hour), nullptr);
    if (one.to_buy) add(one, *one.to_buy, nullptr, number_or_null(one.to_buy->purchase));
  }
  return table;
}

HtmlMachine machine_of(const Ranked& one) {
  HtmlMachine made{.name = one.candidate.name};
  if (one.predicted) {
    made.asides.emplace_back("predicted: nobody has measured it");
    return made;
  }
  made.facts.push_back(fmt::format("{}: {}", one.candidate.host.name, describe_host(one.candidate.host)));
  for (const Gpu& gpu : one.candidate.host.gpus) {
    if (gpu.name == one.candidate.device) made.facts.push_back(describe_gpu(gpu));
  }
  return made;
}

}  // namespace

std::string rank_html(const Ranking& ranking) {
  HtmlPage page{.title = ranking.title.empty() ? "Machines side by side" : ranking.title,
                .about = fmt::format("{}; made {} by breakeven {}", work_text(ranking), ranking.created,
                                     ranking.tool_version),
                .answers = rank_sentences(ranking),
                .charts = rank_charts(ranking),
                .warnings = ranking.notes};
  for (HtmlTable table : {order_table(ranking), case_table(ranking), fit_table(ranking),
                          software_table(ranking), price_table(ranking)}) {
    if (!table.rows.empty()) page.tables.push_back(std::move(table));
  }
  for (const Ranked& one : ranking.ranked) page.machines.push_back(machine_of(one));
  return html_text(page);
}

}  // namespace breakeven
