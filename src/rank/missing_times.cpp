#include "rank/missing_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <vector>

#include "verdicts/roofline.h"

namespace breakeven {
namespace {

/// Returns the shortest time in which a device's roofline allows a case; empty if a peak is not known.
using LeastSeconds = std::function<std::optional<double>(const CaseResult&)>;

DeviceKind kind_of(const Candidate& candidate) {
  return candidate.is_cpu ? DeviceKind::processors : DeviceKind::gpus;
}

/// The catalogue's entry of a candidate; null if there is none.
const DeviceEntry* find_entry(const DeviceCatalogue& catalogue, const Candidate& one) {
  if (one.is_cpu)
    return one.host.threads >= one.host.cores ? find_processors(catalogue, one.device, one.host.cores)
                                              : nullptr;
  return one.memory_bytes ? find_device(catalogue, one.device, *one.memory_bytes) : nullptr;
}

/// True if the devices are of one model. How many threads processors were measured with makes no other model.
bool is_same_model(const Candidate& a, const Candidate& b) {
  if (a.is_cpu != b.is_cpu || a.device != b.device) return false;
  if (a.is_cpu) return a.host.cpu_identity == b.host.cpu_identity && a.host.cores == b.host.cores;
  constexpr double memory = 0.1;  // which drivers report differently, as in find_device()
  return !a.memory_bytes || !b.memory_bytes ||
         std::abs(static_cast<double>(*a.memory_bytes) / static_cast<double>(*b.memory_bytes) - 1) < memory;
}

/// The index of the first candidate of the same model as another.
std::size_t model_index(const std::vector<Ranked>& all, const Candidate& candidate) {
  const auto first = std::ranges::find_if(
      all, [&](const Ranked& other) { return is_same_model(other.candidate, candidate); });
  return static_cast<std::size_t>(first - all.begin());
}

LeastSeconds by_datasheet(const DeviceEntry& entry) {
  return [&entry](const CaseResult& result) { return stated_least_seconds(entry, result); };
}

LeastSeconds by_ceilings(const Candidate& candidate) {
  Ceilings ceilings;
  for (const auto& [id, results] : candidate.cases) {
    for (const MeasuredCase& one : results) ceilings.add(*one.result);
  }
  return [ceilings](const CaseResult& result) -> std::optional<double> {
    const auto least = least_time(result, ceilings);
    return least ? std::optional(least->seconds) : std::nullopt;
  };
}

/// A candidate's roofline from this source; empty if it is not known.
std::optional<LeastSeconds> roofline_of(const Candidate& candidate, RooflineOf roofline,
                                        const DeviceCatalogue& catalogue) {
  if (roofline == RooflineOf::ceilings) return by_ceilings(candidate);
  const DeviceEntry* entry = find_entry(catalogue, candidate);
  return entry == nullptr ? std::nullopt : std::optional(by_datasheet(*entry));
}

/// The measured times of the devices of one kind, next to the limits of their rooflines, case by case.
struct Model {
  PredictedBy by;
  std::map<std::string, ReachedByDevices> reached = {};  // by case id
  std::optional<PredictionError> error = {};
};

Model model_of(const Ranking& ranking, const TimesOfCases& times, PredictedBy by,
               const DeviceCatalogue& catalogue) {
  Model model{.by = by};
  for (std::size_t i = 0; i < ranking.ranked.size(); ++i) {
    const Candidate& candidate = ranking.ranked[i].candidate;
    const auto least =
        kind_of(candidate) == by.kind ? roofline_of(candidate, by.roofline, catalogue) : std::nullopt;
    if (!least) continue;
    const std::size_t of_model = model_index(ranking.ranked, candidate);
    for (const auto& [id, on] : times) {
      const auto timed = on.find(i);
      if (timed == on.end() || !(timed->second.seconds.value > 0)) continue;
      // Predicting ceilings from themselves is trivial, and says nothing about other work.
      if (by.roofline == RooflineOf::ceilings && is_ceiling(*timed->second.result)) continue;
      const auto least_seconds = (*least)(*timed->second.result);
      if (!least_seconds) continue;
      model.reached[id].push_back({.device = i,
                                   .model = of_model,
                                   .seconds = timed->second.seconds.value,
                                   .least_seconds = *least_seconds});
    }
  }
  std::vector<ReachedByDevices> cases;
  cases.reserve(model.reached.size());
  for (const auto& [id, reached] : model.reached) cases.push_back(reached);
  model.error = prediction_error(cases);
  return model;
}

/// Predicts an entry in whichever of its acceptable dtypes is fastest.
RankedPart predicted_part(const MixEntry& entry, const LeastSeconds& least, const Model& model,
                          const TimesOfCases& times) {
  RankedPart part;
  for (const std::string& id : entry.ids()) {
    const auto reached = model.reached.find(id);
    if (reached == model.reached.end()) continue;
    // The work is the same on every device, so any result has its operations and bytes.
    const CaseResult& problem = *times.at(id).begin()->second.result;
    const auto least_seconds = least(problem);
    if (!least_seconds) continue;
    const auto seconds = predicted_seconds(*least_seconds, reached->second);
    if (!seconds || (part.seconds && part.seconds->value <= *seconds)) continue;
    part.seconds = Estimate{.value = *seconds};
    if (model.error)
      part.seconds->interval =
          Interval{.low = *seconds / model.error->most, .high = *seconds * model.error->most};
    part.backend = "predicted";
    part.dtype = problem.dtype;
    part.in_place = id != entry.id;
    part.predicted = true;
  }
  return part;
}

/// The model without the times of this very device, which would be predicted from itself.
Model without_device(Model model, const Ranking& ranking, const DeviceEntry& entry,
                     const DeviceCatalogue& catalogue) {
  for (auto& [id, reached] : model.reached)
    std::erase_if(reached, [&](const Reached& by) {
      return find_entry(catalogue, ranking.ranked[by.device].candidate) == &entry;
    });
  return model;
}

void add_device(Ranking& ranking, const TimesOfCases& times, const DeviceEntry& entry, const Model& model) {
  Ranked& one = ranking.ranked.emplace_back();
  one.predicted = true;
  one.candidate.name = fmt::format("predicted: {}", entry.text());
  one.candidate.device = entry.name;
  one.candidate.is_cpu = entry.is_cpu();
  for (const MixEntry& wanted : ranking.entries) {
    RankedPart& part = one.parts.emplace_back(predicted_part(wanted, by_datasheet(entry), model, times));
    if (!part.seconds) part.unpredicted = RooflineOf::datasheets;
  }
}

/// True if a run got as far as this entry, in any of its acceptable dtypes.
bool was_measured(const Candidate& candidate, const MixEntry& entry) {
  const std::vector<std::string> ids = entry.ids();
  return std::ranges::any_of(ids, [&](const std::string& id) {
    return std::ranges::any_of(candidate.results_of(id), [](const MeasuredCase& one) {
      return one.result->status != Status::interrupted;
    });
  });
}

/// Predicts the entries that were not measured. Returns true if there were any. An entry that was measured
/// without getting a time (wrong, out of memory) is left as it is.
bool fill_in(Ranked& one, const std::vector<MixEntry>& entries, const Model& model,
             const TimesOfCases& times) {
  bool any = false;
  const LeastSeconds least = by_ceilings(one.candidate);
  for (std::size_t e = 0; e < entries.size(); ++e) {
    if (was_measured(one.candidate, entries[e])) continue;
    any = true;
    RankedPart part = predicted_part(entries[e], least, model, times);
    if (part.seconds) {
      one.parts[e] = std::move(part);
    } else {
      one.parts[e].unpredicted = RooflineOf::ceilings;
    }
  }
  return any;
}

}  // namespace

void predict(Ranking& ranking, const TimesOfCases& times, const RankOptions& options) {
  constexpr std::array all{PredictedBy{RooflineOf::datasheets, DeviceKind::gpus},
                           PredictedBy{RooflineOf::datasheets, DeviceKind::processors},
                           PredictedBy{RooflineOf::ceilings, DeviceKind::gpus},
                           PredictedBy{RooflineOf::ceilings, DeviceKind::processors}};
  const std::size_t measured = ranking.ranked.size();
  for (const PredictedBy by : all) {
    const Model model = model_of(ranking, times, by, options.catalogue);
    if (model.error) ranking.prediction_errors[by] = *model.error;
    bool used = false;
    if (by.roofline == RooflineOf::datasheets) {
      for (const DeviceEntry& entry : options.catalogue) {
        const bool wanted = std::ranges::find(options.predicted, entry.name) != options.predicted.end();
        if (!wanted || entry.is_cpu() != (by.kind == DeviceKind::processors)) continue;
        add_device(ranking, times, entry, without_device(model, ranking, entry, options.catalogue));
        used = true;
      }
    } else if (options.predict_missing) {
      for (std::size_t i = 0; i < measured; ++i) {
        Ranked& one = ranking.ranked[i];
        if (kind_of(one.candidate) == by.kind) used = fill_in(one, ranking.entries, model, times) || used;
      }
    }
    if (used) ranking.predictions.push_back(by);
  }
}

}  // namespace breakeven
