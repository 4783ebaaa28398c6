#include "rank/rank.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <set>

#include "rank/missing_times.h"
#include "results/counted_samples.h"
#include "results/measure_settings.h"
#include "workloads/workload.h"

namespace breakeven {
namespace {

// ---- the work

bool trains_to_target(const CaseResult& result) {
  const Value* target = result.parameters.find("target_accuracy");
  return target != nullptr && std::holds_alternative<double>(*target) && std::get<double>(*target) > 0;
}

/// The seconds of a run, or of all steps up to the target. The latter have no interval: they are those of one
/// training, before the samples and the speed probe.
std::optional<Estimate> seconds_of(const CaseResult& result) {
  if (!result.has_time()) return std::nullopt;
  if (!trains_to_target(result)) return result.seconds->estimate();
  if (!result.training || !result.training->seconds_to_accuracy) return std::nullopt;
  return Estimate{.value = *result.training->seconds_to_accuracy};
}

/// The energy of the same. It has no interval, because its variation is not measured.
std::optional<Estimate> joules_of(const CaseResult& result) {
  const auto seconds = seconds_of(result);
  if (!seconds || !result.joules || !(*result.joules > 0)) return std::nullopt;
  return Estimate{.value = *result.joules * seconds->value / result.seconds->median};
}

/// The GPUs, or the hosts of processors, that computed a case.
std::size_t devices_of(const CaseResult& result) {
  const std::vector<RankPlace>& places = result.conditions.ranks;
  if (result.device == "cpu") {
    std::set<std::string> hosts;
    for (const RankPlace& place : places) hosts.insert(place.host);
    return std::max<std::size_t>(hosts.size(), 1);
  }
  if (!places.empty()) return places.size();
  const auto* ranks = std::get_if<std::int64_t>(result.parameters.find("ranks"));
  return ranks == nullptr || *ranks < 1 ? 1 : static_cast<std::size_t>(*ranks);
}

/// The fastest result of the candidate's backends that is right.
std::optional<TimedCase> fastest_of(const Candidate& candidate, const std::string& id) {
  std::optional<TimedCase> best;
  for (const MeasuredCase& one : candidate.results_of(id)) {
    const auto seconds = seconds_of(*one.result);
    if (seconds && (!best || seconds->value < best->seconds.value))
      best = TimedCase{.result = one.result, .seconds = *seconds};
  }
  return best;
}

/// All results of an entry, in any of the acceptable dtypes.
std::vector<const CaseResult*> results_of(const Candidate& candidate, const MixEntry& entry) {
  std::vector<const CaseResult*> all;
  for (const std::string& id : entry.ids()) {
    for (const MeasuredCase& one : candidate.results_of(id)) all.push_back(one.result);
  }
  return all;
}

/// The part of an entry: the fastest backend's time and the lowest energy, in any of the acceptable dtypes.
RankedPart part_of(const Candidate& candidate, const MixEntry& entry) {
  RankedPart part;
  std::vector<Estimate> all;
  for (const std::string& id : entry.ids()) {
    const auto fastest = fastest_of(candidate, id);
    if (!fastest) continue;
    const bool in_place = id != entry.id;
    if (!part.seconds || fastest->seconds.value < part.seconds->value) {
      const CaseResult& result = *fastest->result;
      part.seconds = fastest->seconds;
      part.backend = result.backend;
      part.dtype = result.dtype;
      part.in_place = in_place;
      part.own_speed = trains_to_target(result) ? std::nullopt : own_speed_of(result);
      part.devices = devices_of(result);
      part.samples = result.samples;
      part.fastest_joules = joules_of(result);
    }
    for (const MeasuredCase& one : candidate.results_of(id)) {
      if (const auto seconds = seconds_of(*one.result)) all.push_back(*seconds);
      const auto joules = joules_of(*one.result);
      if (!joules || (part.joules && joules->value >= part.joules->value)) continue;
      part.joules = joules;
      part.most_economical =
          ComputedBy{.backend = one.result->backend, .dtype = one.result->dtype, .in_place = in_place};
    }
  }
  if (part.seconds) {
    part.selection_factor = least_of(all).value / part.seconds->value;
  } else {
    part.without_time = results_of(candidate, entry);
  }
  return part;
}

/// All times of the work's cases, in every acceptable dtype, on all candidates.
TimesOfCases times_of(const Ranking& ranking) {
  TimesOfCases times;
  for (const MixEntry& entry : ranking.entries) {
    for (const std::string& id : entry.ids()) {
      std::map<std::size_t, TimedCase>& on = times[id];
      for (std::size_t i = 0; i < ranking.ranked.size(); ++i) {
        if (const auto fastest = fastest_of(ranking.ranked[i].candidate, id)) on.emplace(i, *fastest);
      }
    }
  }
  return times;
}

std::string title_of(const CaseResult& result) {
  const Workload* workload = find_workload(result.op);
  try {
    if (workload != nullptr) return fmt::format("{} {}", result.op, workload->title(result.parameters));
  } catch (const std::out_of_range&) {  // a file of another version, with other parameters
  }
  return result.id;
}

/// The cases of a candidate that have a time, each with its first result that has one, by id.
using TimedIds = std::map<std::string, const CaseResult*>;

TimedIds timed_ids(const Candidate& candidate) {
  TimedIds ids;
  for (const auto& [id, results] : candidate.cases) {
    const auto timed = std::ranges::find_if(
        results, [](const MeasuredCase& one) { return seconds_of(*one.result).has_value(); });
    if (timed != results.end()) ids.emplace(id, timed->result);
  }
  return ids;
}

/// The number of candidates that have a time for each case.
std::map<std::string, std::size_t> count_candidates(const std::vector<TimedIds>& all) {
  std::map<std::string, std::size_t> count;
  for (const TimedIds& ids : all) {
    for (const auto& [id, result] : ids) ++count[id];
  }
  return count;
}

/// The work for which all candidates have a time. If there is none, the candidate that shares the fewest
/// cases with others is left out, and the next, as long as two remain: one file of other work must not
/// prevent the comparison of the others. Candidates without any time are ignored.
std::vector<MixEntry> common_work(const std::vector<Candidate>& all) {
  std::vector<TimedIds> timed;
  for (const Candidate& candidate : all) {
    if (TimedIds ids = timed_ids(candidate); !ids.empty()) timed.push_back(std::move(ids));
  }
  std::vector<MixEntry> common;
  while (!timed.empty()) {
    const auto count = count_candidates(timed);
    for (const auto& [id, result] : timed.front()) {
      if (count.at(id) == timed.size()) common.push_back({.id = id, .title = title_of(*result)});
    }
    if (!common.empty() || timed.size() <= 2) break;
    const auto shared = [&](const TimedIds& ids) {
      return std::ranges::count_if(ids, [&](const auto& one) { return count.at(one.first) > 1; });
    };
    // If several share equally few, the last of them.
    timed.erase(std::ranges::min_element(timed.rbegin(), timed.rend(), {}, shared).base() - 1);
  }
  // Compare numbers within names as numbers, so that batch 8 comes before batch 64.
  std::ranges::stable_sort(common, [](const MixEntry& a, const MixEntry& b) {
    return strverscmp(a.id.c_str(), b.id.c_str()) < 0;
  });
  return common;
}

// ---- sums

struct Summands {
  std::vector<Estimate> parts = {};
  std::vector<double> weights = {};

  void add(const Estimate& part, double weight) {
    parts.push_back(part);
    weights.push_back(weight);
  }
};

/// The weighted sum or the geometric mean over the parts that count, as another run would have it as well;
/// empty if one of them is unknown.
std::optional<Estimate> total(const Ranking& ranking, const Ranked& one, Metric metric, const auto& counts) {
  Summands measured;
  Summands predicted;
  for (std::size_t i = 0; i < one.parts.size(); ++i) {
    if (!counts(i)) continue;
    const auto& part = one.parts[i].amount(metric);
    if (!part) return std::nullopt;
    const double factor = metric == Metric::energy ? 1 : one.parts[i].selection_factor;
    (one.parts[i].predicted ? predicted : measured).add(scaled(*part, factor), ranking.entries[i].weight);
  }
  if (measured.parts.empty() && predicted.parts.empty()) return std::nullopt;
  fill_intervals(measured.parts);
  if (!ranking.weighted)  // then either all of them were measured, or none
    return predicted.parts.empty() ? widened(geometric_mean(measured.parts), run_deviation)
                                   : geometric_mean_together(predicted.parts);
  std::vector<Estimate> sums;
  if (!measured.parts.empty())
    sums.push_back(widened(weighted_sum(measured.parts, measured.weights), run_deviation));
  if (!predicted.parts.empty()) sums.push_back(weighted_sum_together(predicted.parts, predicted.weights));
  return weighted_sum(sums, std::vector(sums.size(), 1.0));
}

// ---- prices

/// True if the offer's own conditions match the candidate. A name such as "AMD EPYC" may be that of several
/// processors.
bool conditions_match(const Offer& offer, const Candidate& candidate) {
  return (offer.machine.empty() || offer.machine == candidate.name) &&
         (offer.device.empty() || offer.device == candidate.device) &&
         (offer.host.empty() || offer.host == candidate.host.recorded_name()) &&
         (!offer.cpus || *offer.cpus == candidate.host.cpus) &&
         (offer.cpu_identity.empty() || offer.cpu_identity == candidate.host.cpu_identity);
}

/// The same, and true for a GPU only if the offer names it: an offer of its host alone is of the processors.
bool may_be_of(const Offer& offer, const Candidate& candidate) {
  return conditions_match(offer, candidate) &&
         (candidate.is_cpu || !offer.device.empty() || !offer.machine.empty());
}

/// The precision with which an offer identifies a machine: the number of conditions besides the device. Its
/// name in rankings is more precise than all of them.
int precision(const Offer& offer) {
  if (!offer.machine.empty()) return 4;
  return (offer.host.empty() ? 0 : 1) + (offer.cpu_identity.empty() ? 0 : 1) + (offer.cpus ? 1 : 0);
}

/// A key that distinguishes processors with the same name.
std::string processor_key(const Host& host) {
  return host.cpu_identity.empty() ? fmt::format("{}", fmt::join(host.cpu_features, " ")) : host.cpu_identity;
}

/// A key that distinguishes the processors that an offer may be of, by what it does not state of them.
std::string unstated_key(const Offer& offer, const Host& host) {
  if (!offer.host.empty() || !offer.machine.empty()) return "";
  return fmt::format("{} x {}", offer.cpus ? 0 : host.cpus,
                     offer.cpu_identity.empty() ? processor_key(host) : "");
}

using Amount = std::optional<double> Offer::*;

/// Assigns the offers of one amount to candidates. Only the most precise offers for a candidate apply to it.
/// An offer that gives only the name of a processor applies to none if different processors, or different
/// numbers of them, have that name.
class OffersOf {
 public:
  /// `everyone` has all machines of the command: a name that several of them share is no name, even if one of
  /// them alone is ranked here.
  OffersOf(const std::optional<Prices>& prices, const std::vector<Ranked>& all,
           std::span<const Candidate> everyone, Amount amount)
      : cheapest_(all.size()) {
    if (!prices) return;
    const auto most_precise_of = [&](const Candidate& candidate) {
      int most = 0;
      for (const Offer& offer : prices->offers) {
        if (offer.*amount && may_be_of(offer, candidate)) most = std::max(most, precision(offer));
      }
      return most;
    };
    const auto each_match = [&](const auto& use) {
      for (const Offer& offer : prices->offers) {
        if (!(offer.*amount)) continue;
        for (std::size_t i = 0; i < all.size(); ++i) {
          if (may_be_of(offer, all[i].candidate)) use(offer, i);
        }
      }
    };
    std::vector<int> most_precise;
    most_precise.reserve(all.size());
    for (const Ranked& one : all) most_precise.push_back(most_precise_of(one.candidate));
    std::map<const Offer*, std::set<std::string>> processors;
    for (const Candidate& one : everyone) {
      const int most = most_precise_of(one);
      for (const Offer& offer : prices->offers) {
        if (one.is_cpu && offer.*amount && may_be_of(offer, one) && precision(offer) == most)
          processors[&offer].insert(unstated_key(offer, one.host));
      }
    }
    each_match([&](const Offer& offer, std::size_t i) {
      if (precision(offer) < most_precise[i]) return;
      if (all[i].candidate.is_cpu && processors[&offer].size() > 1) {
        ambiguous_.insert(offer.device);
        return;
      }
      const Offer*& best = cheapest_[i];
      if (best == nullptr || *(offer.*amount) < *(best->*amount)) best = &offer;
    });
  }

  std::optional<Offer> cheapest_of(std::size_t candidate) const {
    return cheapest_[candidate] == nullptr ? std::nullopt : std::optional(*cheapest_[candidate]);
  }
  bool is_ambiguous(const std::string& device) const { return ambiguous_.contains(device); }

 private:
  std::vector<const Offer*> cheapest_;  // by candidate
  std::set<std::string> ambiguous_;     // names of devices
};

/// The price of a second of work on a machine that works in this share of the hours paid. It has an offer.
double price_of_second(const Ranked& one, double use) {
  return *one.offer->per_hour / 3600 / use;
}

/// Sets the cost of a candidate whose offers are known, or the reason why it is unknown.
void price(Ranked& one, const std::optional<Prices>& prices, double use, const OffersOf& rents) {
  const auto is_of_host = [&](const Offer& offer) {
    return offer.per_hour && conditions_match(offer, one.candidate);
  };
  if (!prices) {
    one.no_cost = NoCost::no_prices;
  } else if (!one.offer && rents.is_ambiguous(one.candidate.device)) {
    one.no_cost = NoCost::ambiguous_price;
  } else if (!one.offer && one.to_buy) {
    one.no_cost = NoCost::purchase_price_only;
  } else if (!one.offer) {
    one.no_cost =
        std::ranges::any_of(prices->offers, is_of_host) ? NoCost::price_of_host_only : NoCost::no_price;
  } else if (!one.seconds) {
    one.no_cost = NoCost::no_time;
  } else if (one.of_several_devices() != one.parts.end()) {
    one.no_cost = NoCost::several_devices;
  } else {
    one.cost = scaled(*one.seconds, price_of_second(one, use));
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

/// The energy of the work by the fastest backends, whose hours a payback counts. Empty if it is not known of
/// each.
std::optional<double> joules_of_fastest(const Ranking& ranking, const Ranked& one) {
  Summands all;
  for (std::size_t i = 0; i < one.parts.size(); ++i) {
    const auto& joules = one.parts[i].fastest_joules;
    if (!joules) return std::nullopt;
    all.add(*joules, ranking.entries[i].weight);
  }
  return ranking.weighted ? weighted_sum(all.parts, all.weights).value : geometric_mean(all.parts).value;
}

Payback bought(const Ranked& gpu, const Ranked& cpu, const Ranking& ranking) {
  const auto& electricity = ranking.prices->electricity;
  const auto joules = joules_of_fastest(ranking, gpu);
  Payback payback{.gpu = gpu.candidate.name,
                  .cpu = cpu.candidate.name,
                  .bought = true,
                  .with_electricity = electricity && joules};
  double saved = cpu.cost->value;
  if (payback.with_electricity) saved -= *joules / joules_per_kwh * electricity->per_kwh;
  if (saved > 0) payback.hours = *gpu.to_buy->purchase / saved * gpu.seconds->value / 3600;
  return payback;
}

std::vector<Payback> paybacks(const Ranking& ranking) {
  std::vector<Payback> all;
  const Ranked* cpu = cheapest_cpu(ranking);
  if (cpu == nullptr) return all;
  for (const Ranked& one : ranking.ranked) {
    if (one.candidate.is_cpu || !one.seconds || one.of_several_devices() != one.parts.end()) continue;
    if (one.cost)
      all.push_back(
          {.gpu = one.candidate.name, .cpu = cpu->candidate.name, .busy = ratio(*one.cost, *cpu->cost)});
    if (one.to_buy) all.push_back(bought(one, *cpu, ranking));
  }
  return all;
}

// ---- the order

/// Sorts by the metric. Two machines have different places only if the intervals of all pairs' ratios
/// together say that they differ.
void order(Ranking& ranking) {
  const auto known = [&](const Ranked& one) { return one.amount(ranking.by).has_value(); };
  const auto end = std::stable_partition(ranking.ranked.begin(), ranking.ranked.end(), known);
  std::stable_sort(ranking.ranked.begin(), end, [&](const Ranked& a, const Ranked& b) {
    return a.amount(ranking.by)->value < b.amount(ranking.by)->value;
  });
  const auto count = static_cast<std::size_t>(end - ranking.ranked.begin());
  const auto ratio_of = [&](const Ranked& over, const Ranked& under) {
    return ratio_among(*over.amount(ranking.by), *under.amount(ranking.by), count);
  };
  const Ranked* head = nullptr;  // the first of those that share a place
  int number = 0;
  for (auto one = ranking.ranked.begin(); one != end; ++one) {
    ++number;
    one->behind = ratio_of(*one, ranking.ranked.front());
    if (head != nullptr && may_be_equal(ratio_of(*one, *head))) {
      one->place = head->place;
      continue;
    }
    one->place = number;
    head = &*one;
  }
}

/// Compares a candidate that lacks parts of a mix with the first one, over the parts that both have.
void compare_in_part(const Ranking& ranking, Ranked& one) {
  const Ranked& first = ranking.ranked.front();
  if (one.place != 0 || first.place != 1 || !ranking.weighted) return;
  if (ranking.by == Metric::cost && (!one.offer || one.of_several_devices() != one.parts.end())) return;
  const Metric metric = ranking.by == Metric::energy ? Metric::energy : Metric::time;
  const auto have_both = [&](std::size_t i) {
    return one.parts[i].amount(metric).has_value() && first.parts[i].amount(metric).has_value();
  };
  const auto own = total(ranking, one, metric, have_both);
  const auto of_first = total(ranking, first, metric, have_both);
  if (!own || !of_first) return;
  const double price = ranking.by == Metric::cost
                           ? price_of_second(one, ranking.use) / price_of_second(first, ranking.use)
                           : 1;
  one.behind_in_part = scaled(ratio(*own, *of_first), price);
}

/// True if `a` is no worse than `b` in any metric that is known of both, time at least, and better in one. If
/// unknown metrics counted, a machine whose energy cannot be read would never be beaten.
bool dominates(const Ranked& a, const Ranked& b) {
  if (!a.seconds || !b.seconds) return false;
  bool better = false;
  for (const Metric metric : all_metrics) {
    const auto& of_a = a.amount(metric);
    const auto& of_b = b.amount(metric);
    if (!of_a || !of_b || may_be_equal(ratio(*of_a, *of_b))) continue;
    if (of_a->value > of_b->value) return false;
    better = better || of_a->value < of_b->value;
  }
  return better;
}

void mark_front(std::vector<Ranked>& all) {
  for (Ranked& one : all) {
    one.on_front =
        one.seconds && std::ranges::none_of(all, [&](const Ranked& other) { return dominates(other, one); });
  }
}

/// The number of results that interrupted runs of a candidate did not measure: of the mix or, without one, of
/// all its cases, because each of them might have been among those that all candidates have.
std::size_t interrupted_results(const Candidate& candidate, const Ranking& ranking) {
  std::set<std::string> work;
  for (const MixEntry& entry : ranking.entries) {
    for (const std::string& id : entry.ids()) work.insert(id);
  }
  std::size_t count = 0;
  for (const auto& [id, results] : candidate.cases) {
    if (ranking.weighted && !work.contains(id)) continue;
    count += static_cast<std::size_t>(std::ranges::count(
        results, Status::interrupted, [](const MeasuredCase& one) { return one.result->status; }));
  }
  return count;
}

std::vector<RankedFit> fits_of(const std::vector<Candidate>& all) {
  std::map<std::string, RankedFit> by_id;
  for (const Candidate& one : all) {
    for (const auto& [id, results] : one.cases) {
      for (const MeasuredCase& fitted : results) {
        const CaseResult& result = *fitted.result;
        if (!result.fit || result.status != Status::ok) continue;
        RankedFit& fit = by_id[id];
        fit.title = title_of(result);
        const auto [known, fresh] = fit.largest.try_emplace(one.name, *result.fit);
        if (!fresh && result.fit->largest > known->second.largest) known->second = *result.fit;
      }
    }
  }
  std::vector<RankedFit> fits;
  fits.reserve(by_id.size());
  for (auto& [id, fit] : by_id) fits.push_back(std::move(fit));
  return fits;
}

/// The names of candidates that have times, but of none of the work that the others have in common.
std::vector<std::string> of_other_work(const Ranking& ranking) {
  std::vector<std::string> names;
  if (ranking.weighted || ranking.entries.empty()) return names;
  for (const Ranked& one : ranking.ranked) {
    if (!one.seconds && !timed_ids(one.candidate).empty()) names.push_back(one.candidate.name);
  }
  return names;
}

/// The cases of ranked candidates that other ranked ones lack, if the work is what all have in common.
std::vector<Uncounted> uncounted_cases(const Ranking& ranking) {
  std::vector<Uncounted> all;
  if (ranking.weighted) return all;
  std::vector<std::pair<std::string, TimedIds>> timed;  // by name
  for (const Ranked& one : ranking.ranked) {
    if (one.seconds && !one.predicted) timed.emplace_back(one.candidate.name, timed_ids(one.candidate));
  }
  for (const auto& [name, ids] : timed) {
    std::set<std::string> uncounted;
    std::vector<std::string> lacking;
    for (const auto& [other, others] : timed) {
      std::set<std::string> lacks;
      for (const auto& [id, result] : ids) {
        if (!others.contains(id)) lacks.insert(id);
      }
      if (!lacks.empty()) lacking.push_back(other);
      uncounted.merge(lacks);
    }
    if (!uncounted.empty())
      all.push_back({.candidate = name, .cases = uncounted.size(), .lacking = std::move(lacking)});
  }
  return all;
}

/// The names of the devices and hosts with a price that are not among the results. A whole list of prices is
/// not of interest.
std::vector<std::string> unused_prices(const std::vector<Candidate>& all, const Prices& prices) {
  constexpr std::size_t most = 5;
  std::set<std::string> unused;
  for (const Offer& offer : prices.offers) {
    if (offer.machine.empty() &&
        std::ranges::none_of(all, [&](const Candidate& one) { return conditions_match(offer, one); }))
      unused.insert(offer.device.empty() ? offer.host : offer.device);
  }
  if (unused.size() > most) return {};
  return {unused.begin(), unused.end()};
}

/// The first machine that a price names and that is not among the results.
std::optional<UnknownMachine> unknown_machine(const std::vector<Candidate>& all, const Prices& prices) {
  std::vector<std::string> known;
  known.reserve(all.size());
  for (const Candidate& one : all) known.push_back(one.name);
  for (const Offer& offer : prices.offers) {
    if (!offer.machine.empty() && std::ranges::find(known, offer.machine) == known.end())
      return UnknownMachine{.name = offer.machine, .known = known};
  }
  return std::nullopt;
}

/// The operations that any candidate has a time for, by name.
std::set<std::string> kinds_of_work(const std::vector<Candidate>& all) {
  std::set<std::string> kinds;
  for (const Candidate& one : all) {
    for (const auto& [id, result] : timed_ids(one)) kinds.insert(result->op);
  }
  return kinds;
}

/// The candidates with cases of one operation, and these cases alone.
std::vector<Candidate> of_kind(const std::vector<Candidate>& all, const std::string& op) {
  std::vector<Candidate> some;
  for (const Candidate& one : all) {
    Candidate& kept = some.emplace_back(one);
    std::erase_if(kept.cases, [&](const auto& entry) { return entry.second.front().result->op != op; });
    if (kept.cases.empty()) some.pop_back();
  }
  return some;
}

/// Ranks `all`, which are some of `everyone`.
Ranking rank_candidates(std::vector<Candidate> all, std::span<const Candidate> everyone,
                        const RankOptions& options) {
  Ranking ranking;
  ranking.by = options.by;
  ranking.weighted = options.mix.has_value();
  ranking.prices = options.prices;
  ranking.use = options.use;
  if (options.mix) ranking.title = options.mix->title;
  ranking.entries = options.mix ? options.mix->entries : common_work(all);
  for (Candidate& candidate : all) {
    Ranked& one = ranking.ranked.emplace_back();
    one.candidate = std::move(candidate);
    for (const MixEntry& entry : ranking.entries) one.parts.push_back(part_of(one.candidate, entry));
    one.interrupted = interrupted_results(one.candidate, ranking);
  }
  predict(ranking, times_of(ranking), options);
  const OffersOf rents(options.prices, ranking.ranked, everyone, &Offer::per_hour);
  const OffersOf purchases(options.prices, ranking.ranked, everyone, &Offer::purchase);
  for (std::size_t i = 0; i < ranking.ranked.size(); ++i) {
    ranking.ranked[i].offer = rents.cheapest_of(i);
    ranking.ranked[i].to_buy = purchases.cheapest_of(i);
  }
  const auto every = [](std::size_t) { return true; };
  for (Ranked& one : ranking.ranked) {
    one.known = static_cast<std::size_t>(std::ranges::count_if(
        one.parts, [&](const RankedPart& part) { return part.amount(options.by).has_value(); }));
    one.seconds = total(ranking, one, Metric::time, every);
    one.joules = total(ranking, one, Metric::energy, every);
    price(one, options.prices, options.use, rents);
  }
  for (std::size_t i = 0; i < ranking.entries.size(); ++i) {
    if (std::ranges::none_of(ranking.ranked,
                             [&](const Ranked& one) { return one.parts[i].seconds.has_value(); }))
      ranking.nobody.push_back(ranking.entries[i].title);
  }
  order(ranking);
  for (Ranked& one : ranking.ranked) compare_in_part(ranking, one);
  mark_front(ranking.ranked);
  ranking.uncounted = uncounted_cases(ranking);
  ranking.paybacks = paybacks(ranking);
  ranking.left_out = of_other_work(ranking);
  return ranking;
}

}  // namespace

std::optional<double> amount_of_part(const Ranking& ranking, const Ranked& one, std::size_t part) {
  const auto& amount = one.parts[part].amount(ranking.by);
  const bool has_cost = one.offer && one.parts[part].devices == 1;  // prices are of one device
  if (!amount || (ranking.by == Metric::cost && !has_cost)) return std::nullopt;
  return amount->value * (ranking.by == Metric::cost ? price_of_second(one, ranking.use) : 1);
}

std::optional<MixedCaches> mixed_caches(std::span<const Result> results) {
  std::map<std::string, std::string> machines;  // by state of the caches: the first host
  for (const Result& result : results) machines.emplace(cache_state(result), result.host.name);
  const auto warm = machines.find("warm");
  const auto cold = machines.find("cold");
  if (warm == machines.end() || cold == machines.end()) return std::nullopt;
  return MixedCaches{.warm = warm->second, .cold = cold->second};
}

Ranking rank_results(std::span<const Result> results, const RankOptions& options) {
  const std::vector<Candidate> all = candidates(results);
  return rank_candidates(all, all, options);
}

Rankings rank_by_work(std::span<const Result> results, const RankOptions& options) {
  const std::vector<Candidate> all = candidates(results);
  Rankings made;
  made.fits = fits_of(all);
  if (options.prices) {
    made.unused_prices = unused_prices(all, *options.prices);
    made.unknown_machine = unknown_machine(all, *options.prices);
  }
  for (const std::string& op : options.mix ? std::set<std::string>() : kinds_of_work(all)) {
    Ranking ranking = rank_candidates(of_kind(all, op), all, options);
    ranking.op = op;
    const auto have_it =
        std::ranges::count_if(ranking.ranked, [](const Ranked& one) { return one.known > 0; });
    if (have_it > 1)
      made.all.push_back(std::move(ranking));
    else
      made.not_ranked.push_back(op);
  }
  // Work that most machines have comes first.
  const auto with_place = [](const Ranking& ranking) {
    return std::ranges::count_if(ranking.ranked, [](const Ranked& one) { return one.place > 0; });
  };
  std::ranges::stable_sort(made.all, std::ranges::greater(), with_place);
  if (made.all.empty()) {
    made.not_ranked.clear();
    made.all.push_back(rank_candidates(all, all, options));
  }
  return made;
}

Ranking priced_devices(std::span<const Result> results, const Prices& prices) {
  Ranking priced;
  priced.prices = prices;
  const std::vector<Candidate> all = candidates(results);
  for (const Candidate& candidate : all) {
    priced.ranked.emplace_back();
    priced.ranked.back().candidate = candidate;
  }
  const OffersOf rents(priced.prices, priced.ranked, all, &Offer::per_hour);
  for (std::size_t i = 0; i < priced.ranked.size(); ++i) {
    priced.ranked[i].offer = rents.cheapest_of(i);
    price(priced.ranked[i], priced.prices, priced.use, rents);
  }
  return priced;
}

int exit_status(const Rankings& rankings) {
  const auto is_ranked = [](const Ranking& one) { return one.can_rank() && one.nobody.empty(); };
  return std::ranges::any_of(rankings.all, is_ranked) ? 0 : 4;
}

}  // namespace breakeven
