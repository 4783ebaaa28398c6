// Ranks machines for given work: takes result files, a mix of work and prices, and returns an order.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "json/names.h"
#include "rank/mix.h"
#include "rank/prediction.h"
#include "rank/prices.h"
#include "results/metric.h"
#include "results/result.h"
#include "statistics/estimate.h"
#include "verdicts/candidate.h"

namespace breakeven {

inline constexpr double joules_per_kwh = 3.6e6;

/// The source of a prediction's roofline: vendors' datasheets, or measured ceilings.
enum class RooflineOf { datasheets, ceilings };
constexpr std::array<std::string_view, 2> names_of(RooflineOf) {
  return {"datasheets", "ceilings"};
}

/// How the result that counts was computed.
struct ComputedBy {
  std::string backend, dtype;
  bool in_place = false;  // the dtype is not the preferred one
};

/// One case of the work on one candidate.
struct RankedPart {
  std::optional<Estimate> seconds = {}, joules = {};  // of one run, or of training to a target
  double selection_factor = 1;  // least_of() the backends' seconds, over `seconds`; for sums
  std::string backend = {};     // the fastest backend, whose seconds they are
  std::string dtype = {};       // in which it computed
  bool in_place = false;        // the dtype is not the preferred one
  bool predicted = false;       // not measured on this candidate
  std::vector<const CaseResult*> without_time = {};  // its results, if there are no seconds
  std::optional<RooflineOf> unpredicted = {};        // nor could it be predicted from this
  std::optional<double> own_speed = {};              // own_speed_of() the samples whose seconds they are
  std::size_t devices = 1;   // GPUs, or hosts of processors, on which the fastest backend ran
  std::int64_t samples = 0;  // images of one run; 0 if that has no meaning
  std::optional<Estimate> fastest_joules = {};     // of the fastest backend
  std::optional<ComputedBy> most_economical = {};  // the backend whose `joules` they are

  const std::optional<Estimate>& amount(Metric metric) const {
    return metric == Metric::energy ? joules : seconds;
  }
  /// The result that counts in a ranking by this metric.
  ComputedBy counted(Metric by) const {
    return by == Metric::energy && most_economical
               ? *most_economical
               : ComputedBy{.backend = backend, .dtype = dtype, .in_place = in_place};
  }
};

/// Why a candidate has no cost.
enum class NoCost {
  no_prices,            // of anything
  ambiguous_price,      // it may be of other processors
  purchase_price_only,  // no price per hour
  no_price,
  price_of_host_only,  // not of its GPU
  no_time,
  several_devices,  // computed a case, and prices are of one
};

/// The work on one candidate.
struct Ranked {
  Candidate candidate;
  bool predicted = false;         // not measured
  std::vector<RankedPart> parts;  // in the order of Ranking::entries
  /// For the whole work once; for a geometric mean, for one case.
  std::optional<Estimate> seconds, joules, cost;
  std::optional<NoCost> no_cost;
  std::optional<Offer> offer;      // the cheapest for this candidate, per hour
  std::optional<Offer> to_buy;     // the cheapest for this candidate, to buy
  int place = 0;                   // by the requested metric; ties share one; 0: unknown
  std::optional<Estimate> behind;  // as a multiple of the first's
  /// The same for a candidate without a place, over the parts of a mix that it has. Below 1, the first is not
  /// the fastest in these.
  std::optional<Estimate> behind_in_part = {};
  /// No other is better in one of time, energy and cost, and no worse in the others; of two candidates, the
  /// metrics that are known of both count.
  bool on_front = false;
  std::size_t interrupted = 0;  // results that its runs did not measure, of the mix or of all cases
  std::size_t known = 0;        // parts whose time, or energy in a ranking by it, is known

  bool has_all() const { return known == parts.size() && known > 0; }
  /// The first part that several devices computed; the end if there is none. Prices are of one device.
  std::vector<RankedPart>::const_iterator of_several_devices() const {
    return std::ranges::find_if(parts, [](const RankedPart& part) { return part.devices > 1; });
  }
  const std::optional<Estimate>& amount(Metric metric) const {
    return metric == Metric::time ? seconds : metric == Metric::energy ? joules : cost;
  }
};

/// The conditions under which a GPU pays for itself, compared with processors rented by the hour.
struct Payback {
  std::string gpu, cpu;  // names of the candidates
  /// Rented: fraction of its hours that it must be busy; above 1 it never pays.
  std::optional<Estimate> busy = {};
  std::optional<double> hours = {};  // bought: hours of work until it has paid for itself; absent: never
  bool bought = false;               // `hours` applies, not `busy`
  bool with_electricity = false;     // `hours` includes the cost of electricity
};

enum class DeviceKind { gpus, processors };
constexpr std::array<std::string_view, 2> names_of(DeviceKind) {  // as in sentences
  return {"GPUs", "processors"};
}

struct PredictedBy {
  RooflineOf roofline = RooflineOf::datasheets;
  DeviceKind kind = DeviceKind::gpus;
  auto operator<=>(const PredictedBy&) const = default;  // NOLINT(modernize-use-nullptr): of clang-tidy 14
};

/// The largest problem of a kind that fits in each candidate's memory.
struct RankedFit {
  std::string title;
  std::map<std::string, Fit> largest;  // by the candidate's name: the largest of all its backends
};

/// Cases of a candidate that do not count, because others have no times for them.
struct Uncounted {
  std::string candidate;
  std::size_t cases = 0;
  std::vector<std::string> lacking = {};  // names of the others
  bool operator==(const Uncounted&) const = default;
};

struct Ranking {
  std::string title;  // of the mix
  std::string op;     // the kind of work, without a mix
  Metric by = Metric::time;
  bool weighted = false;             // by the mix's weights; else the geometric mean of the common cases
  std::vector<MixEntry> entries;     // the work
  std::vector<std::string> nobody;   // titles of entries without a time on any candidate
  std::vector<Uncounted> uncounted;  // without a mix, of each candidate with cases that others lack
  std::vector<Ranked> ranked;        // by place, unknown ones last
  std::vector<Payback> paybacks;
  /// The errors of predictions, from devices among the results: each is predicted from other models of its
  /// kind.
  std::map<PredictedBy, PredictionError> prediction_errors;
  std::optional<Prices> prices;
  double use = 1;                        // the share of the hours paid in which a machine works
  std::vector<PredictedBy> predictions;  // used for some part
  std::vector<std::string> left_out;     // names of candidates with times, but none of the common work

  /// True if at least two candidates have a place.
  bool can_rank() const {
    return std::ranges::count_if(ranked, [](const Ranked& one) { return one.place > 0; }) > 1;
  }
};

/// A machine that a price names, and that is not among the results.
struct UnknownMachine {
  std::string name;
  std::vector<std::string> known;  // those that are
};

/// The answer to one command: the ranking of a mix, or one of each kind of work that several machines have.
struct Rankings {
  std::string created = {}, tool_version = {};  // UTC, ISO 8601
  std::vector<Ranking> all = {};                // at least one
  std::vector<std::string> not_ranked = {};     // operations that no two machines have in common
  std::vector<RankedFit> fits = {};
  std::vector<std::string> unused_prices = {};  // of devices that are not here; empty if these are many
  std::optional<UnknownMachine> unknown_machine = {};
};

/// The seconds, joules or cost of one run of a part of the work; empty if unknown.
std::optional<double> amount_of_part(const Ranking& ranking, const Ranked& one, std::size_t part);

/// The work to rank machines for, and the options.
struct RankOptions {
  std::optional<Mix>
      mix;  // without one, the work is what the candidates have in common; those of other work are left out
  std::optional<Prices> prices;
  double use = 1;  // the share of the hours paid in which a machine works: above 0, at most 1
  Metric by = Metric::time;
  DeviceCatalogue catalogue;
  std::vector<std::string>
      predicted;                 // names of devices in the catalogue that are ranked without a measurement
  bool predict_missing = false;  // predict a candidate's missing cases from its ceilings
};

/// Hosts of results that cannot be ranked together: times with cold caches are not comparable with those with
/// warm ones.
struct MixedCaches {
  std::string warm, cold;
};
std::optional<MixedCaches> mixed_caches(std::span<const Result> results);

/// Ranks the candidates for one piece of work. The ranking points into the results, which must outlive it.
Ranking rank_results(std::span<const Result> results, const RankOptions& options);

/// Ranks the candidates for a mix or, without one, for each kind of work (operation) by itself: a mean over
/// products and trainings would be that of no work at all. Sets everything but `created` and `tool_version`.
Rankings rank_by_work(std::span<const Result> results, const RankOptions& options);

/// The devices in the results, each with the cheapest offer per hour or with the reason why it has none, as a
/// ranking without work.
Ranking priced_devices(std::span<const Result> results, const Prices& prices);

/// The exit status: 4 if a part of the work has no time on any candidate, or if no work has two candidates
/// that could be ranked; else 0.
int exit_status(const Rankings& rankings);

}  // namespace breakeven
