// The decisions of a session, apart from the doing: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <vector>

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

/// Median, interval and samples, with the launches joined.
Timing summarise(const std::vector<std::vector<double>>& launches, std::int64_t iterations);

/// What a reader should know of these samples: too few, not as precise as asked, drifting, disturbed.
std::vector<std::string> timing_warnings(const Timing& timing, Progress end, const Measure& measure);
std::vector<std::string> condition_warnings(const Conditions& conditions);

/// Losses of many steps as at most `most` (an even number) means over equally many steps each.
void add_losses(Training& training, const std::vector<double>& losses, std::size_t most = 2000);

}  // namespace breakeven
