// The decisions of a session, apart from the doing: pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "host/nvml.h"
#include "plan/config.h"
#include "results/result.h"

namespace breakeven {

/// How long a sample should last, in seconds: 10 ms, which is thousands of clock ticks, and short enough that
/// many fit into a case's time. Longer, up to 50 ms, where a turn costs so much beside its sample (waking
/// processes, messages, waiting until threads sleep) that more than 3 % of the time would go there; `costs`
/// are those of earlier turns, in seconds.
double sample_length(const std::vector<double>& costs);
/// No interval is trusted, and no case stopped, before this many samples, unless its time is up.
inline constexpr std::size_t fewest_samples = 10;

/// Iterations for a sample of that length, from one iteration's time when warm and the time the whole request
/// took with it (longer where caches are flushed in between).
std::int64_t iterations_for(double sample_length, double seconds_each, double request_seconds_each);

enum class Progress { more, precise, out_of_time };

/// Whether a case is done: `spent` seconds of sampling so far, its samples by launch.
Progress progress(const std::vector<std::vector<double>>& launches, double spent, const Measure& measure);

/// The order in which the arms of one problem are sampled in a round.
std::vector<std::size_t> random_order(std::size_t arms, std::mt19937_64& generator);

/// What held a GPU's clocks down in a sample that took `window` seconds: the reasons seen in it, and those of
/// the driver's counters (seconds, by name) that moved by more than a hundredth of it, which is as much as
/// could be seen in a time. Empty: it ran freely.
std::vector<std::string> throttle_causes(ClockReasons seen, const std::map<std::string, double>& counted,
                                         double window);

/// The samples of one case during which a GPU's clocks were held down, and what was done about it.
struct Throttling {
  std::vector<std::int64_t> samples;  // their indices, all launches joined, rising
  std::map<std::string, int> causes;  // in how many of them each was seen
  int in_a_row = 0;                   // of this launch, since the last that ran freely
  double rested = 0;                  // seconds of this launch

  /// Adds sample `index`.
  void note(std::int64_t index, const std::vector<std::string>& why);
  /// Rests did not help: this is how the GPU runs this work, as big products do at the power limit.
  bool steady() const;
};

/// How long a GPU is left to rest before a throttled sample is taken again, in seconds: longer each time in a
/// row, and 0 where it did not help, or where rests have had a quarter of the case's time.
double rest_seconds(const Throttling& throttling, const Measure& measure);

/// The samples without those at the indices `throttled`; by launch, as they are given.
std::vector<std::vector<double>> without(const std::vector<std::int64_t>& throttled,
                                         std::vector<std::vector<double>> launches);
/// The samples that figures are worked out from: those that ran freely, and all where they are too few.
std::vector<std::vector<double>> counted_samples(const std::vector<std::vector<double>>& launches,
                                                 const std::vector<std::int64_t>& throttled);
/// The same as indices into `samples` samples, rising.
std::vector<std::size_t> counted_indices(std::size_t samples, const std::vector<std::int64_t>& throttled);
/// The samples by which it is decided whether a case is done: those that ran freely, and all once throttling
/// is steady and they are too few.
std::vector<std::vector<double>> deciding_samples(const std::vector<std::vector<double>>& launches,
                                                  const Throttling& throttling);

/// Iterations of work that lasts for `energy_seconds`.
std::int64_t energy_iterations(double energy_seconds, double seconds_each);

/// Median and interval of the samples that count, and all samples, with the launches joined.
Timing summarise(const std::vector<std::vector<double>>& launches, std::int64_t iterations,
                 const std::vector<std::int64_t>& throttled = {});

/// What a reader should know of these samples: too few, not as precise as asked, drifting, disturbed.
std::vector<std::string> timing_warnings(const Timing& timing, Progress end, const Measure& measure);
std::vector<std::string> condition_warnings(const Conditions& conditions);
/// "the GPU lowered its clocks in 3 of 40 samples (power cap)"; nothing where it never did.
std::optional<std::string> describe(const Throttling& throttling, std::size_t samples);
std::vector<std::string> throttling_warnings(const Throttling& throttling, std::size_t samples);

/// Losses of many steps as at most `most` (an even number) means over equally many steps each.
void add_losses(Training& training, const std::vector<double>& losses, std::size_t most = 2000);

}  // namespace breakeven
