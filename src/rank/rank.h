// Ranks machines for given work: takes result files, a mix of work and prices, and returns an order.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "rank/mix.h"
#include "rank/prediction.h"
#include "rank/prices.h"
#include "results/quantity.h"
#include "results/result.h"
#include "statistics/estimate.h"
#include "verdicts/candidate.h"

namespace breakeven {

inline constexpr double joules_per_kwh = 3.6e6;

/// One case of the work on one candidate.
struct RankedPart {
  std::optional<Estimate> seconds, joules;  // of one run; of training to a target, up to there
  std::string backend;                      // whose seconds they are: the fastest's
  std::string dtype;                        // what it computed in
  bool in_place = false;                    // it is not the dtype that was wanted first
  bool predicted = false;                   // it was not measured there
  std::string unknown;                      // why there are no seconds
};

/// The work on one candidate.
struct Ranked {
  Candidate candidate;
  bool predicted = false;         // it was not measured
  std::vector<RankedPart> parts;  // as Ranking::entries
  /// For all of the work, once; for a geometric mean, of one case.
  std::optional<Estimate> seconds, joules, cost;
  std::map<Quantity, std::string> unknown;  // why one of them is not known
  std::optional<Offer> offer;               // the cheapest of this candidate, by the hour
  std::optional<Offer> to_buy;              // likewise, the cheapest to buy
  int place = 0;                            // by what was asked; ties share one; 0: unknown
  std::optional<Estimate> behind;           // how many times the first's
  bool on_front = false;  // nobody is better in one of time, energy and cost, and no worse in another

  const std::optional<Estimate>& amount(Quantity quantity) const {
    return quantity == Quantity::time ? seconds : quantity == Quantity::energy ? joules : cost;
  }
};

/// When a GPU pays for itself, against processors that are rented by the hour.
struct Payback {
  std::string gpu, cpu;           // candidates' names
  std::optional<Estimate> busy;   // rented: the part of its hours that it must be busy, above 1 never pays
  std::optional<double> hours;    // bought: of work until it has paid for itself; absent where never
  bool bought = false;            // that is what `hours` are of
  bool with_electricity = false;  // whose cost is in `hours`
};

/// The source of a prediction's roofline: makers' datasheets, or measured ceilings.
enum class RooflineOf { datasheets, ceilings };
std::string_view name(RooflineOf roofline);  // "datasheets"
enum class DeviceKind { gpus, processors };
std::string_view name(DeviceKind kind);  // "GPUs", in the words of sentences

struct PredictedBy {
  RooflineOf roofline = RooflineOf::datasheets;
  DeviceKind kind = DeviceKind::gpus;
  bool operator<(const PredictedBy& other) const {
    return std::tie(roofline, kind) < std::tie(other.roofline, other.kind);
  }
};

/// The largest problem of a kind that each candidate's memory holds.
struct RankedFit {
  std::string title;
  std::map<std::string, Fit> largest;  // by candidate's name: the largest of its backends
};

struct Ranking {
  std::string created, tool_version;  // UTC, ISO 8601
  std::string title;
  Quantity by = Quantity::time;
  bool weighted = false;            // by a mix's weights; else the geometric mean of the cases that all have
  std::vector<MixEntry> entries;    // the work
  std::vector<std::string> nobody;  // titles of entries that no candidate has a time of
  std::vector<Ranked> ranked;       // in order of place, unknown ones last
  std::vector<Payback> paybacks;
  std::vector<RankedFit> fits;
  /// The errors for devices among the results, each predicted from the others of its kind.
  std::map<PredictedBy, PredictionError> prediction_errors;
  std::optional<Prices> prices;
  std::vector<std::string> notes;
};

/// What is to be ranked, and how.
struct RankOptions {
  std::optional<Mix>
      mix;  // without one, the work is what all candidates with a time of anything have in common
  std::optional<Prices> prices;
  Quantity by = Quantity::time;
  DeviceCatalogue catalogue;
  std::vector<std::string>
      predicted;  // names of devices in the catalogue that are to be ranked without being measured
  bool predict_missing = false;  // cases that a candidate lacks, from its ceilings
};

/// Ranks the candidates. Sets everything but `created` and `tool_version`. Points into the results, which
/// must outlive it.
Ranking rank_results(std::span<const Result> results, const RankOptions& options);

/// 4 if nobody measured a part of the work, or if fewer than two candidates could be ranked; else 0.
int exit_status(const Ranking& ranking);

/// JSON, schema breakeven.rank/1, described in docs/ranking.md.
std::string to_json_text(const Ranking& ranking);

}  // namespace breakeven
