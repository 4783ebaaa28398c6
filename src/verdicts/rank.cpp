#include "verdicts/rank.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "results/json_parts.h"
#include "workloads/workload.h"

namespace breakeven {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* rank_schema = "breakeven.rank/1";

// ---- the work

bool trains_to_target(const CaseResult& result) {
  const Value* target = result.parameters.find("target_accuracy");
  return target != nullptr && std::holds_alternative<double>(*target) && std::get<double>(*target) > 0;
}

/// Seconds of a run, or of all steps up to the target: then with the interval of a step, which is what varies
/// where all take the same steps.
std::optional<Estimate> seconds_of(const CaseResult& result) {
  if (!result.has_time()) return std::nullopt;
  const Estimate each = result.seconds->estimate();
  if (!trains_to_target(result)) return each;
  if (!result.training || !result.training->seconds_to_accuracy) return std::nullopt;
  return scaled(each, *result.training->seconds_to_accuracy / each.value);
}

/// Whose interval is not known.
std::optional<Estimate> joules_of(const CaseResult& result) {
  const auto seconds = seconds_of(result);
  if (!seconds || !result.joules || !(*result.joules > 0)) return std::nullopt;
  return Estimate{.value = *result.joules * seconds->value / result.seconds->median};
}

std::string why_no_time(const CaseResult& result) {
  if (result.has_time()) return fmt::format("{}: did not reach its target", result.backend);
  return fmt::format("{}: {}{}{}", result.backend, name(result.status), result.reason.empty() ? "" : ": ",
                     result.reason);
}

/// The fastest of the backends, and the most economical, in any of the dtypes that will do.
RankedPart part_of(const Candidate& candidate, const MixEntry& entry) {
  RankedPart part;
  std::vector<std::string> reasons;
  std::vector<std::string> ids{entry.id};
  ids.insert(ids.end(), entry.instead.begin(), entry.instead.end());
  for (const std::string& id : ids) {
    const auto found = candidate.cases.find(id);
    if (found == candidate.cases.end()) continue;
    for (const CaseResult* result : found->second) {
      const auto seconds = seconds_of(*result);
      if (!seconds) {
        reasons.push_back(why_no_time(*result));
        continue;
      }
      if (!part.seconds || seconds->value < part.seconds->value) {
        part.seconds = seconds;
        part.result = result;
        part.backend = result->backend;
        part.dtype = result->dtype;
        part.in_place = id != entry.id;
      }
      if (const auto joules = joules_of(*result);
          joules && (!part.joules || joules->value < part.joules->value))
        part.joules = joules;
    }
  }
  if (!part.seconds)
    part.unknown = reasons.empty() ? "not measured" : fmt::format("{}", fmt::join(reasons, "; "));
  return part;
}

std::string title_of(const CaseResult& result) {
  const Workload* workload = find_workload(result.op);
  try {
    if (workload != nullptr) return fmt::format("{} {}", result.op, workload->title(result.parameters));
  } catch (const std::out_of_range&) {  // a file of another version, with other parameters
  }
  return result.id;
}

/// What all candidates with a time of anything have a time of.
std::vector<MixEntry> common_work(const std::vector<Candidate>& all) {
  std::map<std::string, std::size_t> count;
  std::vector<std::pair<std::string, const CaseResult*>> order;
  std::size_t timed_candidates = 0;
  for (const Candidate& candidate : all) {
    bool is_timed = false;
    for (const auto& [id, results] : candidate.cases) {
      const auto timed = std::find_if(results.begin(), results.end(),
                                      [](const CaseResult* r) { return seconds_of(*r).has_value(); });
      if (timed == results.end()) continue;
      is_timed = true;
      if (++count[id] == 1) order.emplace_back(id, *timed);
    }
    timed_candidates += is_timed ? 1 : 0;
  }
  std::vector<MixEntry> common;
  for (const auto& [id, result] : order) {
    if (count[id] == timed_candidates)
      common.push_back({.id = id, .title = title_of(*result), .weight = 1, .instead = {}});
  }
  return common;
}

// ---- sums

/// Of all parts, or why not.
std::optional<Estimate> total(const Ranking& ranking, const Ranked& one, Quantity quantity,
                              std::string& unknown) {
  if (one.parts.empty()) {
    unknown = "there is no work that all of them have";
    return std::nullopt;
  }
  std::vector<Estimate> parts;
  std::vector<double> weights;
  std::vector<std::string> lacking;
  for (std::size_t i = 0; i < one.parts.size(); ++i) {
    const auto& part = quantity == Quantity::energy ? one.parts[i].joules : one.parts[i].seconds;
    if (part) {
      parts.push_back(*part);
      weights.push_back(ranking.entries[i].weight);
    } else if (lacking.size() < 3) {
      const std::string why = one.parts[i].seconds ? "energy not known" : one.parts[i].unknown;
      lacking.push_back(fmt::format("{}: {}", ranking.entries[i].title, why));
    }
  }
  if (parts.size() < one.parts.size()) {
    const std::size_t missing = one.parts.size() - parts.size();
    unknown = fmt::format("unknown of {} of {} cases: {}{}", missing, one.parts.size(),
                          fmt::join(lacking, "; "), missing > lacking.size() ? "; ..." : "");
    return std::nullopt;
  }
  return ranking.weighted ? weighted_sum(parts, weights) : geometric_mean(parts);
}

// ---- prices

bool is_of(const Offer& offer, const Candidate& candidate) {
  return (offer.device.empty() || offer.device == candidate.device) &&
         (offer.host.empty() || offer.host == candidate.host.name) &&
         (!offer.cpus || *offer.cpus == candidate.host.cpus);
}

std::optional<Offer> cheapest(const Prices& prices, const Candidate& candidate,
                              std::optional<double> Offer::*amount) {
  std::optional<Offer> best;
  for (const Offer& offer : prices.offers) {
    if (offer.*amount && is_of(offer, candidate) && (!best || *(offer.*amount) < *((*best).*amount)))
      best = offer;
  }
  return best;
}

void price(Ranked& one, const std::optional<Prices>& prices) {
  if (!prices) {
    one.unknown[Quantity::cost] = "no prices were given";
    return;
  }
  one.offer = cheapest(*prices, one.candidate, &Offer::per_hour);
  one.to_buy = cheapest(*prices, one.candidate, &Offer::purchase);
  if (!one.offer) {
    one.unknown[Quantity::cost] =
        one.to_buy ? "it is bought, not rented: what a run costs depends on how much it is used"
                   : fmt::format("no price is of '{}'", one.candidate.device);
  } else if (!one.seconds) {
    one.unknown[Quantity::cost] = "its time is not known";
  } else {
    one.cost = scaled(*one.seconds, *one.offer->per_hour / 3600);
  }
}

/// The processors on which the work costs least.
const Ranked* cheapest_cpu(const Ranking& ranking) {
  const Ranked* best = nullptr;
  for (const Ranked& one : ranking.ranked) {
    if (one.candidate.is_cpu && one.cost && (best == nullptr || one.cost->value < best->cost->value))
      best = &one;
  }
  return best;
}

Payback bought(const Ranked& gpu, const Ranked& cpu, const std::optional<Electricity>& electricity) {
  Payback payback{.gpu = gpu.candidate.name,
                  .cpu = cpu.candidate.name,
                  .busy = {},
                  .hours = {},
                  .bought = true,
                  .with_electricity = electricity && gpu.joules};
  double saved = cpu.cost->value;
  if (payback.with_electricity) saved -= gpu.joules->value / joules_per_kwh * electricity->per_kwh;
  if (saved > 0) payback.hours = *gpu.to_buy->purchase / saved * gpu.seconds->value / 3600;
  return payback;
}

std::vector<Payback> paybacks(const Ranking& ranking) {
  std::vector<Payback> all;
  const Ranked* cpu = cheapest_cpu(ranking);
  if (cpu == nullptr) return all;
  for (const Ranked& one : ranking.ranked) {
    if (one.candidate.is_cpu || !one.seconds) continue;
    if (one.cost)
      all.push_back({.gpu = one.candidate.name,
                     .cpu = cpu->candidate.name,
                     .busy = ratio(*one.cost, *cpu->cost),
                     .hours = {}});
    if (one.to_buy) all.push_back(bought(one, *cpu, ranking.prices->electricity));
  }
  return all;
}

// ---- what nobody has measured

/// What the catalogue says of it; null where that is nothing.
const DeviceEntry* find_candidate(const DeviceCatalogue& catalogue, const Candidate& one) {
  if (one.is_cpu)
    return one.host.threads >= one.host.cores ? find_processors(catalogue, one.device, one.host.cores)
                                              : nullptr;
  return one.memory_bytes ? find_device(catalogue, one.device, *one.memory_bytes) : nullptr;
}

/// Each case on the devices that the catalogue knows.
std::vector<MeasuredOnDevices> measured_on_devices(const Ranking& ranking, const DeviceCatalogue& catalogue) {
  std::vector<MeasuredOnDevices> all(ranking.entries.size());
  for (const Ranked& one : ranking.ranked) {
    const DeviceEntry* device = find_candidate(catalogue, one.candidate);
    if (device == nullptr) continue;
    for (std::size_t i = 0; i < one.parts.size(); ++i) {
      if (one.parts[i].seconds)
        all[i].push_back(
            {.device = device, .result = one.parts[i].result, .seconds = one.parts[i].seconds->value});
    }
  }
  return all;
}

RankedPart predicted_part(const DeviceEntry& device, const MeasuredOnDevices& measured,
                          const PredictionError* error) {
  RankedPart part;
  const auto seconds = predicted_seconds(device, measured);
  if (!seconds) {
    part.unknown =
        "nothing to predict it from: no device of the catalogue and of its kind was measured, or there is no "
        "peak of the dtype";
    return part;
  }
  part.seconds = Estimate{.value = *seconds};
  if (error != nullptr)
    part.seconds->interval = Interval{.low = *seconds / error->most, .high = *seconds * error->most};
  part.backend = "predicted";
  part.dtype = measured.front().result->dtype;
  return part;
}

void predict(Ranking& ranking, const RankOptions& options) {
  const auto measured = measured_on_devices(ranking, options.catalogue);
  for (const DeviceKind kind : {DeviceKind::gpu, DeviceKind::processors}) {
    if (const auto error = prediction_error(measured, kind)) ranking.prediction_errors[kind] = *error;
  }
  for (const std::string& name : options.predicted) {
    for (const DeviceEntry& device : options.catalogue) {
      if (device.name != name) continue;
      Ranked& one = ranking.ranked.emplace_back();
      one.predicted = true;
      one.candidate.name = fmt::format("predicted: {}", device.text());
      one.candidate.device = device.name;
      one.candidate.is_cpu = device.is_cpu();
      const auto error =
          ranking.prediction_errors.find(device.is_cpu() ? DeviceKind::processors : DeviceKind::gpu);
      for (const MeasuredOnDevices& of_case : measured)
        one.parts.push_back(predicted_part(
            device, of_case, error == ranking.prediction_errors.end() ? nullptr : &error->second));
    }
  }
}

// ---- the order

void order(Ranking& ranking) {
  const auto known = [&](const Ranked& one) { return one.amount(ranking.by).has_value(); };
  const auto end = std::stable_partition(ranking.ranked.begin(), ranking.ranked.end(), known);
  std::stable_sort(ranking.ranked.begin(), end, [&](const Ranked& a, const Ranked& b) {
    return a.amount(ranking.by)->value < b.amount(ranking.by)->value;
  });
  const Ranked* head = nullptr;  // of those that share a place
  int number = 0;
  for (auto one = ranking.ranked.begin(); one != end; ++one) {
    ++number;
    const Estimate& amount = *one->amount(ranking.by);
    one->behind = ratio(amount, *ranking.ranked.front().amount(ranking.by));
    if (head != nullptr && indistinguishable(amount, *head->amount(ranking.by))) {
      one->place = head->place;
      continue;
    }
    one->place = number;
    head = &*one;
  }
}

/// No worse in anything that is known of both, and better in something.
bool dominates(const Ranked& a, const Ranked& b) {
  bool better = false;
  for (const Quantity quantity : quantities) {
    const auto& of_a = a.amount(quantity);
    const auto& of_b = b.amount(quantity);
    if (of_a.has_value() != of_b.has_value()) return false;
    if (!of_a || indistinguishable(*of_a, *of_b)) continue;
    if (of_a->value > of_b->value) return false;
    better = better || of_a->value < of_b->value;
  }
  return better;
}

void mark_front(std::vector<Ranked>& all) {
  for (Ranked& one : all) {
    one.on_front = one.seconds && std::none_of(all.begin(), all.end(),
                                               [&](const Ranked& other) { return dominates(other, one); });
  }
}

std::vector<RankedFit> fits_of(const std::vector<Ranked>& all) {
  std::map<std::string, RankedFit> by_id;
  for (const Ranked& one : all) {
    for (const auto& [id, results] : one.candidate.cases) {
      for (const CaseResult* result : results) {
        if (!result->fit || result->status != Status::ok) continue;
        RankedFit& fit = by_id[id];
        fit.title = title_of(*result);
        const auto [known, fresh] = fit.largest.try_emplace(one.candidate.name, *result->fit);
        if (!fresh && result->fit->largest > known->second.largest) known->second = *result->fit;
      }
    }
  }
  std::vector<RankedFit> fits;
  fits.reserve(by_id.size());
  for (auto& [id, fit] : by_id) fits.push_back(std::move(fit));
  return fits;
}

std::vector<std::string> notes_of(const Ranking& ranking) {
  std::vector<std::string> notes;
  if (ranking.entries.empty())
    notes.emplace_back(
        "no case has a time on all of them; name the work with a mix, or measure the same config on each");
  for (const DeviceKind kind : {DeviceKind::gpu, DeviceKind::processors}) {
    if (std::none_of(ranking.ranked.begin(), ranking.ranked.end(), [&](const Ranked& one) {
          return one.predicted && one.candidate.is_cpu == (kind == DeviceKind::processors);
        }))
      continue;
    const std::string_view kinds = kind == DeviceKind::gpu ? "GPUs" : "processors";
    const auto error = ranking.prediction_errors.find(kind);
    notes.push_back(
        error == ranking.prediction_errors.end()
            ? fmt::format(
                  "what is predicted nobody has measured, and how far it is off is not known: that takes "
                  "results of two {} of the catalogue",
                  kinds)
            : fmt::format(
                  "what is predicted nobody has measured; predicted in this way from each other, the {} "
                  "{} here are off by a factor of {:.2f} (median) and {:.2f} (95 %) over {} cases",
                  error->second.devices, kinds, error->second.typical, error->second.most,
                  error->second.cases));
  }
  if (ranking.ranked.size() == 1)
    notes.push_back(fmt::format("there is one machine, {}, and nothing to rank it against",
                                ranking.ranked.front().candidate.name));
  if (!ranking.prices) return notes;
  std::set<std::string> unused;
  for (const Offer& offer : ranking.prices->offers) {
    if (std::none_of(ranking.ranked.begin(), ranking.ranked.end(),
                     [&](const Ranked& one) { return is_of(offer, one.candidate); }))
      unused.insert(offer.device.empty() ? offer.host : offer.device);
  }
  if (!unused.empty() && unused.size() <= 5)
    notes.push_back(fmt::format("prices of what is not among the results: {}", fmt::join(unused, ", ")));
  return notes;
}

// ---- JSON

Json to_json(const std::optional<Estimate>& estimate) {
  if (!estimate) return nullptr;
  Json made{{"value", number_or_null(estimate->value)}, {"ci_low", nullptr}, {"ci_high", nullptr}};
  if (estimate->interval) {
    made["ci_low"] = number_or_null(estimate->interval->low);
    made["ci_high"] = number_or_null(estimate->interval->high);
  }
  return made;
}

Json to_json(const PriceSource& from) {
  return {{"currency", from.currency}, {"source", from.source}, {"date", from.date}};
}

Json to_json(const std::optional<Offer>& offer) {
  if (!offer) return nullptr;
  Json made{{"name", offer->name},
            {"per_hour", number_or_null(offer->per_hour)},
            {"purchase", number_or_null(offer->purchase)}};
  made.update(to_json(offer->from));
  return made;
}

Json to_json(const RankedPart& part, const MixEntry& entry) {
  return {{"id", entry.id},
          {"weight", entry.weight},
          {"seconds", to_json(part.seconds)},
          {"joules", to_json(part.joules)},
          {"backend", part.backend},
          {"dtype", part.dtype},
          {"other_dtype", part.in_place},
          {"unknown", part.unknown}};
}

Json names_of(const std::vector<const BackendRecord*>& backends) {
  Json names = Json::array();
  for (const BackendRecord* backend : backends) names.push_back(backend->name);
  return names;
}

Json to_json(const Ranked& one, const Ranking& ranking) {
  Json made{{"name", one.candidate.name},
            {"device", one.candidate.device},
            {"is_cpu", one.candidate.is_cpu},
            {"predicted", one.predicted},
            {"host", to_json(one.candidate.host)},
            {"place", one.place == 0 ? Json(nullptr) : Json(one.place)},
            {"behind", to_json(one.behind)},
            {"seconds", to_json(one.seconds)},
            {"joules", to_json(one.joules)},
            {"cost", to_json(one.cost)},
            {"on_front", one.on_front},
            {"rent", to_json(one.offer)},
            {"purchase", to_json(one.to_buy)},
            {"unknown", Json::object()},
            {"backends", names_of(one.candidate.backends)},
            {"lacking", Json::object()},
            {"cases", Json::array()}};
  for (const auto& [quantity, why] : one.unknown) made["unknown"][std::string(name(quantity))] = why;
  for (const BackendRecord* backend : one.candidate.lacking) made["lacking"][backend->name] = backend->reason;
  for (std::size_t i = 0; i < one.parts.size(); ++i)
    made["cases"].push_back(to_json(one.parts[i], ranking.entries[i]));
  return made;
}

Json to_json(const Payback& payback) {
  return {{"gpu", payback.gpu},
          {"cpu", payback.cpu},
          {"bought", payback.bought},
          {"busy", to_json(payback.busy)},
          {"hours", number_or_null(payback.hours)},
          {"with_electricity", payback.with_electricity}};
}

}  // namespace

Ranking rank_results(std::span<const Result> results, const RankOptions& options) {
  Ranking ranking;
  ranking.by = options.by;
  ranking.weighted = options.mix.has_value();
  ranking.prices = options.prices;
  std::vector<Candidate> all = candidates(results);
  if (options.mix) ranking.title = options.mix->title;
  ranking.entries = options.mix ? options.mix->entries : common_work(all);
  for (Candidate& candidate : all) {
    Ranked& one = ranking.ranked.emplace_back();
    one.candidate = std::move(candidate);
    for (const MixEntry& entry : ranking.entries) one.parts.push_back(part_of(one.candidate, entry));
  }
  predict(ranking, options);
  for (Ranked& one : ranking.ranked) {
    std::string unknown;
    one.seconds = total(ranking, one, Quantity::time, unknown);
    if (!one.seconds) one.unknown[Quantity::time] = unknown;
    one.joules = total(ranking, one, Quantity::energy, unknown);
    if (!one.joules) one.unknown[Quantity::energy] = unknown;
    price(one, options.prices);
  }
  for (std::size_t i = 0; i < ranking.entries.size(); ++i) {
    if (std::none_of(ranking.ranked.begin(), ranking.ranked.end(),
                     [&](const Ranked& one) { return one.parts[i].seconds.has_value(); }))
      ranking.nobody.push_back(ranking.entries[i].title);
  }
  order(ranking);
  mark_front(ranking.ranked);
  ranking.paybacks = paybacks(ranking);
  ranking.fits = fits_of(ranking.ranked);
  ranking.notes = notes_of(ranking);
  return ranking;
}

int exit_status(const Ranking& ranking) {
  const auto placed = std::count_if(ranking.ranked.begin(), ranking.ranked.end(),
                                    [](const Ranked& one) { return one.place > 0; });
  return placed < 2 || !ranking.nobody.empty() ? 4 : 0;
}

std::string to_json_text(const Ranking& ranking) {
  Json made{{"schema", rank_schema},
            {"created", ranking.created},
            {"tool", {{"name", "breakeven"}, {"version", ranking.tool_version}}},
            {"title", ranking.title},
            {"by", name(ranking.by)},
            {"weighted", ranking.weighted},
            {"currency", ranking.prices ? Json(ranking.prices->currency) : Json(nullptr)},
            {"notes", ranking.notes},
            {"prediction_error", nullptr},
            {"processors_prediction_error", nullptr},
            {"not_measured", ranking.nobody},
            {"ranking", Json::array()},
            {"payback", Json::array()},
            {"fits", Json::array()}};
  for (const auto& [kind, error] : ranking.prediction_errors)
    made[kind == DeviceKind::gpu ? "prediction_error" : "processors_prediction_error"] = {
        {"devices", error.devices},
        {"cases", error.cases},
        {"median_factor", error.typical},
        {"p95_factor", error.most}};
  for (const Ranked& one : ranking.ranked) made["ranking"].push_back(to_json(one, ranking));
  for (const Payback& payback : ranking.paybacks) made["payback"].push_back(to_json(payback));
  for (const RankedFit& fit : ranking.fits) {
    Json largest = Json::object();
    for (const auto& [candidate, of] : fit.largest) largest[candidate] = of.largest;
    made["fits"].push_back({{"title", fit.title}, {"largest", largest}});
  }
  return text_of(made);
}

}  // namespace breakeven
