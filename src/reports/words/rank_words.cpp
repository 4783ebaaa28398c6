#include "reports/words/rank_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "plan/suggestion.h"
#include "reports/document/names.h"
#include "reports/text.h"
#include "reports/words/notes.h"
#include "results/number_text.h"
#include "text/counted.h"
#include "verdicts/overview.h"
#include "verdicts/transfers.h"

namespace breakeven {
namespace {

std::string without_time_text(const CaseResult& result) {
  if (result.has_time()) return fmt::format("{}: did not reach its target", result.backend);
  return fmt::format("{}: {}", result.backend, status_text(result.status, result.reason));
}

/// True if no result is of this part, and it was not to be predicted.
bool was_not_measured(const RankedPart& part) {
  return !part.seconds && part.without_time.empty() && !part.unpredicted;
}

/// "conv: not measured; mlp: energy not known; ...", of up to three cases.
std::string unknown_cases_text(const Ranking& ranking, const Ranked& one, Metric metric) {
  constexpr std::size_t most = 3;
  std::size_t missing = 0;
  std::vector<std::string> named;
  for (std::size_t i = 0; i < one.parts.size(); ++i) {
    const RankedPart& part = one.parts[i];
    if (part.amount(metric) || ++missing > most) continue;
    named.push_back(fmt::format("{}: {}", ranking.entries[i].title, unknown_text(part, metric)));
  }
  return fmt::format("not known for {} of {}: {}{}", missing, counted_text(one.parts.size(), "case", "cases"),
                     fmt::join(named, "; "), missing > most ? "; ..." : "");
}

/// "4 GPUs", "2 hosts".
std::string devices_text(const Candidate& candidate, std::size_t devices) {
  return candidate.is_cpu ? counted_text(devices, "host", "hosts") : counted_text(devices, "GPU", "GPUs");
}

std::string no_cost_text(const Ranking& ranking, const Ranked& one) {
  const std::string& device = one.candidate.device;
  std::string no_price = fmt::format("there is no price for '{}'", device);
  switch (*one.no_cost) {
    case NoCost::no_prices:
      return "no prices were given";
    case NoCost::ambiguous_price:
      return fmt::format(R"(the price of '{}' could be that of several processors here; add "machine": "{}")",
                         device, one.candidate.name);
    case NoCost::purchase_price_only:
      return "it has a purchase price alone: what a run costs depends on how much it is used";
    case NoCost::no_price:
      return no_price;
    case NoCost::price_of_host_only:
      return fmt::format(R"({}; that of the host '{}' is of its processors: add one with "device": "{}")",
                         no_price, one.candidate.host.recorded_name(), device);
    case NoCost::no_time:
      return unknown_text(ranking, one, Metric::time);
    case NoCost::several_devices: {
      const auto several = one.of_several_devices();
      return fmt::format("'{}' ran on {}, and the price is of one; name work without it with --mix CONFIG",
                         ranking.entries[static_cast<std::size_t>(several - one.parts.begin())].title,
                         devices_text(one.candidate, several->devices));
    }
  }
  return "";
}

std::string prediction_text(const Ranking& ranking, PredictedBy by) {
  const std::string_view kinds = name(by.kind);
  const bool is_stated = by.roofline == RooflineOf::datasheets;
  const auto error = ranking.prediction_errors.find(by);
  if (error == ranking.prediction_errors.end())
    return fmt::format(
        "predicted cases were not measured, and how far the predictions are off is not known: that takes "
        "results of two different {} {}",
        kinds, is_stated ? "of the catalogue" : "with their ceilings");
  return fmt::format(
      "predicted cases were not measured; predicted from each other by {}, the {} different {} here are off "
      "by a factor of {:.2f} (median) and {:.2f} (95 %) over {}",
      is_stated ? "their datasheets" : "the ceilings that were measured", error->second.devices, kinds,
      error->second.typical, error->second.most, counted_text(error->second.cases, "case", "cases"));
}

/// A note on the cases for which candidates used different numbers of devices; empty if there are none.
std::string different_devices(const Ranking& ranking) {
  std::size_t cases = 0;
  std::string first;
  for (std::size_t i = 0; i < ranking.entries.size(); ++i) {
    std::set<std::size_t> numbers;
    std::map<std::string, std::vector<std::string>> names;  // of the candidates, by their devices
    for (const Ranked& one : ranking.ranked) {
      const RankedPart& part = one.parts[i];
      if (!part.seconds || part.predicted) continue;
      numbers.insert(part.devices);
      names[devices_text(one.candidate, part.devices)].push_back(one.candidate.name);
    }
    if (numbers.size() < 2 || ++cases > 1) continue;
    std::vector<std::string> used;
    used.reserve(names.size());
    for (const auto& [devices, of_these] : names)
      used.push_back(fmt::format("{} of {}", devices, joined_text(of_these)));
    first = fmt::format("{} on {}", ranking.entries[i].title, fmt::join(used, ", "));
  }
  if (cases == 0) return "";
  return fmt::format(
      "the machines used different numbers of devices for {}: {}{}; to rank single devices, name work "
      "without such cases with --mix CONFIG",
      counted_text(cases, "case", "cases"), cases > 1 ? "for example " : "", first);
}

/// True if inference counts for a GPU that had its inputs already, and processors are ranked with it.
bool compares_inputs_on_gpu(const Ranking& ranking) {
  const auto is_ranked = [](const Ranked& one) { return one.place > 0; };
  const auto had_inputs = [&](const Ranked& one) {
    return std::ranges::any_of(ranking.entries, [&](const MixEntry& entry) {
      return std::ranges::any_of(one.candidate.results_of(entry.id), [](const MeasuredCase& measured) {
        return has_inputs_on_gpu(*measured.result);
      });
    });
  };
  return std::ranges::any_of(ranking.ranked,
                             [&](const Ranked& one) { return is_ranked(one) && one.candidate.is_cpu; }) &&
         std::ranges::any_of(ranking.ranked,
                             [&](const Ranked& one) { return is_ranked(one) && had_inputs(one); });
}

}  // namespace

std::string unknown_text(const RankedPart& part, Metric metric) {
  if (part.amount(metric)) return "";
  if (part.seconds) return "energy not known";
  if (part.unpredicted == RooflineOf::datasheets)
    return "nothing to predict it from: no other device of its kind in the catalogue was measured, or the "
           "peak of this dtype is not known";
  std::vector<std::string> reasons;
  std::string interrupted;
  for (const CaseResult* result : part.without_time) {
    if (result->status == Status::interrupted) {
      interrupted = status_text(result->status, result->reason) + " (continue the run with --resume)";
    } else {
      reasons.push_back(without_time_text(*result));
    }
  }
  if (!interrupted.empty()) reasons.push_back(interrupted);
  if (reasons.empty()) reasons.emplace_back("not measured");
  return fmt::format("{}{}", fmt::join(reasons, "; "),
                     part.unpredicted
                         ? ", and nothing to predict it from: run configs/ceilings.json on this machine, and "
                           "on one of its kind that has the case"
                         : "");
}

std::string unknown_in_short(const RankedPart& part) {
  if (part.seconds) return "not known";
  std::set<std::string> statuses;
  for (const CaseResult* result : part.without_time) statuses.insert(status_text(result->status));
  return statuses.empty() ? "not measured" : fmt::format("{}", fmt::join(statuses, ", "));
}

std::string unknown_text(const Ranking& ranking, const Ranked& one, Metric metric) {
  if (one.amount(metric)) return "";
  if (metric == Metric::cost) return one.no_cost ? no_cost_text(ranking, one) : "";
  if (one.parts.empty()) return "no case was measured on all of them";
  if (std::ranges::all_of(one.parts, was_not_measured)) return "none of these cases was measured on it";
  return unknown_cases_text(ranking, one, metric);
}

std::string uncounted_text(std::span<const Uncounted> uncounted) {
  std::vector<std::string> counts;
  counts.reserve(uncounted.size());
  for (const Uncounted& one : uncounted) counts.push_back(fmt::format("{} of {}", one.cases, one.candidate));
  return counts.empty()
             ? ""
             : fmt::format("Cases that another machine lacks are not counted: {}.", joined_text(counts));
}

std::string work_name(const std::string& op) {
  const std::string plural = plural_of(op);
  return plural == plural_of("") ? printable(op) : plural;
}

std::vector<std::string> ranking_notes(const Ranking& ranking) {
  std::vector<std::string> notes;
  for (const PredictedBy by : ranking.predictions) notes.push_back(prediction_text(ranking, by));
  if (ranking.entries.empty())
    notes.emplace_back(
        "no case was measured on all of them; name the work with --mix CONFIG, or run one config on each");
  if (!ranking.left_out.empty())
    notes.push_back(
        fmt::format("left out, because the others have cases in common without it: {}; --mix CONFIG names "
                    "the work instead",
                    fmt::join(ranking.left_out, ", ")));
  if (ranking.ranked.size() == 1)
    notes.push_back(fmt::format("there is one machine, {}, and nothing to rank it against",
                                ranking.ranked.front().candidate.name));
  if (std::string note = different_devices(ranking); !note.empty()) notes.push_back(std::move(note));
  if (compares_inputs_on_gpu(ranking)) notes.push_back(note_text({.kind = NoteKind::inputs_on_gpu}));
  return notes;
}

std::vector<std::string> ranking_notes(const Rankings& rankings) {
  std::vector<std::string> notes;
  for (const Ranking& ranking : rankings.all) {
    for (std::string& note : ranking_notes(ranking))
      notes.push_back(rankings.all.size() == 1 ? std::move(note)
                                               : fmt::format("{}: {}", work_name(ranking.op), note));
  }
  if (!rankings.not_ranked.empty()) {
    std::vector<std::string> names;
    for (const std::string& op : rankings.not_ranked) names.push_back(work_name(op));
    notes.push_back(fmt::format("no two machines have cases of {} in common", joined_text(names)));
  }
  if (!rankings.unused_prices.empty())
    notes.push_back(fmt::format("prices of machines that are not among the results: {}",
                                fmt::join(rankings.unused_prices, ", ")));
  return notes;
}

std::string unknown_machine_text(const UnknownMachine& machine) {
  return fmt::format("no machine here is called '{}'{}; `breakeven rank` calls them {}", machine.name,
                     did_you_mean(machine.name, machine.known), joined_text(machine.known));
}

std::string mixed_caches_text(const MixedCaches& mixed) {
  return fmt::format(
      "the files were not measured alike: one of {} with warm caches, one of {} with cold ones; rank either "
      "kind alone",
      mixed.warm, mixed.cold);
}

}  // namespace breakeven
