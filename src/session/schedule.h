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
#include "results/counted_samples.h"
#include "results/result.h"

namespace breakeven {

/// How long a sample should last, in seconds: 10 ms, which is thousands of clock ticks, and short enough that
/// many fit into a case's time. Longer, up to 50 ms, where more than 3 % of the time would go to what a turn
/// costs beside its sample (waking processes, messages, waiting until threads sleep). `costs` are those of
/// earlier turns, in seconds.
double sample_length(const std::vector<double>& costs);
/// How long rounds go on before the next probe, in seconds, where a probe takes `probe_cost`: so long that
/// the probes have at most 3 % of the time.
double stretch_seconds(double probe_cost);
/// Iterations for a sample of that length, from one iteration's time when warm and the time the whole request
/// took with it (longer where caches are flushed in between).
std::int64_t iterations_for(double sample_length, double seconds_each, double request_seconds_each);

/// The iterations of a sample of one side of a pair, whose own would be `own`, and the larger of both sides'
/// `most`: equally many, so that what a sample costs beside its calls weighs alike on both. Where that would
/// make the sample over four times as long, its own: the difference between such sides is far larger than
/// that cost. So it is where the request, of `request_seconds` an iteration, would take longer than
/// iterations_for() allows.
std::int64_t paired_iterations(std::int64_t own, std::int64_t most, double request_seconds);

enum class Progress { more, precise, out_of_time };

/// Whether a visit has enough samples: `spent` seconds of sampling of at most `seconds`. `visits` are the
/// samples of all visits, the latest last: the interval is that of the latest, its width that of all.
Progress progress(const std::vector<std::vector<double>>& visits, double spent, double precision,
                  double seconds);

/// The samples of one contender before those that count.
struct WarmUp {
  std::vector<double> samples;  // seconds of an iteration, in order
  double spent = 0;             // seconds, with the calls before the first sample
};

/// True once the times are steady: no longer falling or rising from five samples to the next five. Not before
/// a tenth of the visit's time, but for at most a quarter second; never later than a quarter of it.
/// `visit_seconds` is what sampling may take.
bool is_warm(const WarmUp& warm_up, double visit_seconds);

/// Why `reported` seconds cannot be the time of a request that took `wall` seconds by the driver's own clock;
/// empty if they can.
std::string impossible_time(double reported, double wall);

/// Reported times that are far shorter than their requests. One may be a driver that was stopped meanwhile;
/// several in a row are a program that does not say what its work takes.
class DoubtfulTimes {
 public:
  /// Why the times are not believed any longer; empty if they are.
  std::string note(double reported, double wall);

 private:
  int in_a_row_ = 0;
};

/// The order in which `count` contenders are sampled in a round.
std::vector<std::size_t> random_order(std::size_t count, std::mt19937_64& generator);

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

/// The samples by which it is decided whether a case is done: those during which the machine was itself and
/// the GPU ran freely, and the throttled ones once throttling is steady.
std::vector<std::vector<double>> deciding_samples(const std::vector<std::vector<double>>& visits,
                                                  const Throttling& throttling,
                                                  const std::vector<double>& own_speed);

/// Iterations of work that lasts for `energy_seconds`.
std::int64_t energy_iterations(double energy_seconds, double seconds_each);

/// Median and interval of the samples that count, and all samples, with the launches joined.
Timing summarise(const std::vector<std::vector<double>>& launches, std::int64_t iterations,
                 const std::vector<std::int64_t>& throttled = {}, const std::vector<double>& own_speed = {});
/// The same of the visits of a single launch.
Timing summarise_visits(const std::vector<std::vector<double>>& visits, std::int64_t iterations,
                        const std::vector<std::int64_t>& throttled, const std::vector<double>& own_speed);

/// What a reader should know of these samples: too few, not as precise as asked, drifting, disturbed.
std::vector<std::string> timing_warnings(const Timing& timing, Progress end, const Measure& measure);
std::vector<std::string> condition_warnings(const Conditions& conditions);
/// "the GPU lowered its clocks in 3 of 40 samples (power cap)"; nothing where it never did.
std::optional<std::string> describe(const Throttling& throttling, std::size_t samples);
/// Likewise, and how much slower a hot GPU is, where the figures are a cool one's. `seconds` are of all
/// samples, and `own_speed` is the machine's beside each.
std::vector<std::string> throttling_warnings(const Throttling& throttling,
                                             const std::vector<double>& own_speed,
                                             const std::vector<double>& seconds);
/// "this machine ran below 95 % of its own speed in 45 of 90 rounds (60 % in the slowest)"; nothing if it was
/// itself in nearly all.
std::optional<std::string> describe(const MachineSpeed& speed);
void warn_of_speed(const std::optional<MachineSpeed>& speed, std::vector<std::string>& warnings);
/// True if figures are also of samples beside which the machine was slower than itself: without those and the
/// throttled ones too few are left.
bool counts_slow_samples(const std::vector<double>& own_speed, const Throttling& throttling);
/// Warns of a slow machine where counts_slow_samples().
std::vector<std::string> own_speed_warnings(const std::vector<double>& own_speed,
                                            const Throttling& throttling);

/// Losses of many steps as at most `most` (an even number) means over equally many steps each.
void add_losses(Training& training, const std::vector<double>& losses, std::size_t most = 2000);

}  // namespace breakeven
