// The decisions of a session, separate from their execution: pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "host/nvml.h"
#include "plan/config.h"
#include "results/counted_samples.h"
#include "results/result.h"

namespace breakeven {

/// The length of a sample in seconds: 10 ms, which is thousands of clock ticks, and short enough that many
/// fit into a case's time. Up to 50 ms if more than 3 % of the time would otherwise be overhead of a turn
/// (waking processes, messages, waiting until threads sleep). `costs` are the overheads of earlier turns, in
/// seconds.
double sample_length(const std::vector<double>& costs);
/// Appends the cost of a turn or a probe, and removes the oldest if there are too many.
void note_cost(std::vector<double>& costs, double seconds);
/// Seconds for which rounds continue before the next probe, so that probes of `probe_cost` seconds each take
/// at most 3 % of the time.
double stretch_seconds(double probe_cost);
/// The number of iterations for a sample of that length, from the time of one warm iteration and the
/// request's time per iteration, which is longer if caches are flushed in between.
std::int64_t iterations_for(double sample_length, double seconds_each, double request_seconds_each);

/// The numbers of threads below `all` with which a case is timed, to take the fastest: one fewer, which
/// leaves a core to whatever else runs; half of them, for work too small for all; and as many as there are
/// fast cores.
std::vector<int> fewer_threads(int all, int fast_cores);

/// The iterations that are run for so many that count, if `extra_work` is the share of further ones.
std::int64_t iterations_to_run(std::int64_t counted, double extra_work);
/// The least number of iterations, from this one on, with which that share is met to 2 % of it.
std::int64_t whole_iterations(std::int64_t iterations, double extra_work);

/// The number of iterations of a sample of one side of a pair. `own` is the number that suits this side,
/// `most` the larger of both sides' numbers. Usually `most`, so that the overhead of a sample affects both
/// sides equally. If that would make the sample over four times as long, `own`: the difference between such
/// sides is far larger than the overhead. Also `own` if the request, of `request_seconds` per iteration,
/// would take longer than iterations_for() allows.
std::int64_t paired_iterations(std::int64_t own, std::int64_t most, double request_seconds);

enum class Progress { more, precise, out_of_time };

/// Decides whether a visit has enough samples after `spent` of at most `seconds` seconds of sampling.
/// `visits` are the samples of all visits, the latest last. The interval is the latest visit's, divided by
/// the median over all visits.
Progress progress(const std::vector<std::vector<double>>& visits, double spent, double precision,
                  double seconds);

/// The samples of one contender before those that count.
struct WarmUp {
  std::vector<double> samples;  // seconds per iteration, in order
  double spent = 0;             // seconds, including the calls before the first sample
};

/// True once the times are steady: neither falling nor rising from five samples to the next five. This takes
/// at least a tenth of the visit's time, but at most a quarter second, and never more than a quarter of the
/// visit's time. `visit_seconds` is the time for sampling.
bool is_warm(const WarmUp& warm_up, double visit_seconds);

/// A random order in which `count` contenders are sampled in a round.
std::vector<std::size_t> random_order(std::size_t count, std::mt19937_64& generator);

/// Why a GPU's clocks were lowered in a sample of `window` seconds: the reasons seen in it, and those whose
/// counter (seconds, by name) advanced by more than a hundredth of it, the smallest effect that a time could
/// show. Empty if the GPU ran freely.
std::vector<std::string> throttle_causes(ClockReasons seen, const std::map<std::string, double>& counted,
                                         double window);

/// The samples of one case during which a GPU's clocks were lowered, and what was done about it.
struct Throttling {
  std::vector<std::int64_t> samples;  // indices over all launches joined, rising
  std::map<std::string, int> causes;  // number of these samples that had each cause
  int in_a_row = 0;                   // in this launch, since the last unthrottled sample
  double rested = 0;                  // seconds in this launch

  /// Adds the throttled sample `index` with its causes.
  void note(std::int64_t index, const std::vector<std::string>& why);
  /// True if rests did not help: the GPU always runs this work that way, as large products do at the power
  /// limit.
  bool steady() const;
};

/// Seconds for which a GPU rests before a throttled sample is repeated: longer each time in a row; 0 if rests
/// did not help, or if they have used a quarter of the case's time.
double rest_seconds(const Throttling& throttling, const Measure& measure);

/// The samples that decide whether a case has enough: those with the machine at its own speed and the GPU
/// unthrottled, and the throttled ones once throttling is steady.
std::vector<std::vector<double>> deciding_samples(const std::vector<std::vector<double>>& visits,
                                                  const Throttling& throttling,
                                                  const std::vector<double>& own_speed);

/// The number of iterations that last for `energy_seconds`.
std::int64_t energy_iterations(double energy_seconds, double seconds_each);

/// The median and interval of the samples that count, and all samples, with the launches joined.
Timing summarise(const std::vector<std::vector<double>>& launches, std::int64_t iterations,
                 const std::vector<std::int64_t>& throttled = {}, const std::vector<double>& own_speed = {});
/// The same for the visits of a single launch.
Timing summarise_visits(const std::vector<std::vector<double>>& visits, std::int64_t iterations,
                        const std::vector<std::int64_t>& throttled, const std::vector<double>& own_speed);

/// Warnings about the samples: too few, less precise than requested, drifting, disturbed.
std::vector<Note> timing_warnings(const Timing& timing, Progress end, const Measure& measure);
std::vector<Note> condition_warnings(const Conditions& conditions);
/// In how many of the samples the GPU lowered its clocks, and why; empty if it never did.
std::optional<Note> lowered_clocks(const Throttling& throttling, std::size_t samples);
/// The same, with how much slower a hot GPU is if the results are a cool one's. `seconds` are the times of
/// all samples, `own_speed` the machine's speed at each.
std::optional<Note> throttling_warning(const Throttling& throttling, const std::vector<double>& own_speed,
                                       const std::vector<double>& seconds);
/// Warns of a machine below its own speed in more than a few rounds, of an unsteady clock, and of moved
/// cores.
void warn_of_speed(const std::optional<MachineSpeed>& speed, std::vector<Note>& warnings);
/// True for the warnings of warn_of_speed().
bool is_of_speed(NoteKind kind);
/// True if the results include samples during which the machine was below its own speed, because too few are
/// left without these and the throttled ones.
bool counts_slow_samples(const std::vector<double>& own_speed, const Throttling& throttling);
/// Warns of a slow machine if counts_slow_samples().
std::optional<Note> own_speed_warning(const std::vector<double>& own_speed, const Throttling& throttling);

/// Adds the losses of many steps as at most `most` (an even number) means over equally many steps each.
void add_losses(Training& training, const std::vector<double>& losses, std::size_t most = 2000);

}  // namespace breakeven
