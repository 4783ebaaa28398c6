#include "session/speed_record.h"

#include <algorithm>

#include "host/own_speed.h"
#include "results/counted_samples.h"
#include "session/schedule.h"
#include "session/worker_process.h"

namespace breakeven {

void SpeedRecord::begin_visit(bool probes) {
  probes_ = probe_ && probes;
  latest_.reset();
  if (!probes_ || !costs_.empty()) return;
  probe_->calibrate();
  probe_->measure();  // the first also reads memory
  // Pauses as in rounds: a CPU that has slept takes longer.
  constexpr double between_probes = 0.01;
  for (int i = 0; i < 5; ++i) {
    time_.sleep(between_probes);
    probe();
  }
}

void SpeedRecord::probe() {
  if (!probes_) return;
  const double start = time_.now();
  const SpeedReading reading = probe_->measure();
  const double cost = time_.now() - start;
  note_cost(costs_, cost);
  probe_seconds_ += cost;
  const PartTimes slowest = slowest_parts(reading.times);
  for (const auto& [part, seconds] : slowest.seconds) part_seconds_[part].push_back(seconds);
  if (slowest.instructions_per_cycle) instructions_per_cycle_.push_back(*slowest.instructions_per_cycle);
  latest_ = Latest{.own_speed = reading.speed.share,
                   .ratios = std::make_shared<const std::vector<CpuSpeedRatios>>(ratios_of(reading.times)),
                   .throttled_seconds = reading.throttled_seconds,
                   .at = time_.now()};
}

void SpeedRecord::wait_for_own_speed(double until, const std::function<void(double own_speed)>& report) {
  constexpr double longest_pause = 0.01;
  double pause = 0.005;  // quiet moments next to a neighbour seldom last longer than about 10 ms
  const double start = time_.now();
  while (latest_ && latest_->own_speed < trusted_speed_share && time_.now() < until &&
         !Interruption::requested()) {
    report(latest_->own_speed);
    waiting_speeds_.push_back(latest_->own_speed);
    time_.sleep(pause);
    pause = std::min(2 * pause, longest_pause);
    probe();
  }
  waited_seconds_ += time_.now() - start;
}

double SpeedRecord::stretch() const {
  return probes_ ? stretch_seconds(mean(costs_)) : 0;
}

RoundSpeed SpeedRecord::probe_after(std::size_t rounds) {
  const std::optional<Latest> before = latest_;
  probe();
  if (!before) return {};
  // A quota stops programs for up to a tenth of a second, and is over when the probe runs.
  const double stopped = latest_->throttled_seconds - before->throttled_seconds;
  const double left = stopped > 0 ? std::max(0.0, 1 - stopped / (latest_->at - before->at)) : 1;
  const double lower = std::min({before->own_speed, latest_->own_speed, left});
  round_speeds_.insert(round_speeds_.end(), rounds, lower);
  return {.own_speed = lower, .probes = {.before = before->ratios, .after = latest_->ratios}};
}

double SpeedRecord::by_now(const RoundProbes& probes) const {
  double least = 1;
  for (const auto& ratios : {probes.before, probes.after}) {
    if (ratios) least = std::min(least, probe_->share_again(*ratios));
  }
  return least;
}

bool SpeedRecord::judge_again(std::vector<double>& own_speed, const std::vector<RoundProbes>& probes) const {
  bool any = false;
  for (std::size_t i = 0; i < std::min(own_speed.size(), probes.size()); ++i) {
    const double speed = by_now(probes[i]);
    if (speed >= trusted_speed_share || !(speed < own_speed[i])) continue;  // NaN: not probed
    own_speed[i] = speed;
    any = true;
  }
  return any;
}

std::optional<MachineSpeed> SpeedRecord::summary() const {
  if (round_speeds_.empty()) return std::nullopt;
  MachineSpeed speed{.rounds = std::ssize(round_speeds_),
                     .slow_rounds = std::ssize(slow_samples(round_speeds_)),
                     .median = median(round_speeds_),
                     .lowest = quantile(round_speeds_, 0.05),
                     .best_seconds = {},
                     .reservation = probe_->reference().why};
  for (const auto& [part, seconds] : part_seconds_) {
    speed.best_seconds[part] = *std::ranges::min_element(seconds);
    speed.median_seconds[part] = median(seconds);
    const double range = quantile(seconds, 0.95) / quantile(seconds, 0.05);
    if (part == "clock") speed.clock_range = range;
    if (part == "core_to_core") speed.core_to_core_range = range;
  }
  if (!instructions_per_cycle_.empty()) speed.instructions_per_cycle = median(instructions_per_cycle_);
  return speed;
}

}  // namespace breakeven
