#include "session/visit.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace breakeven {
namespace {

/// False if all times are simulated, or are those of GPUs: during a GPU's work alone the host's CPUs rest,
/// and a probe would find them at low clocks.
bool needs_probes(const Contender* contender) {
  return !contender->finished && !has_simulated_clock(contender->participant->backend.libraries) &&
         !is_on_gpu(*contender);
}

}  // namespace

double Round::longest() const {
  double longest = 0;
  for (const auto& sample : samples) {
    if (sample) longest = std::max(longest, total_seconds(*sample));
  }
  return longest;
}

double Round::seconds() const {
  double all = 0;
  for (const auto& sample : samples) all += sample ? total_seconds(*sample) : 0;
  return all;
}

Visit::Visit(Engine& engine, VisitPlan plan)
    : engine_(engine), plan_(std::move(plan)), before_(engine.host_use()) {
  for (const Contender* contender : plan_.contenders) engine_.compute_reference(*contender->problem);
  for (Contender* contender : plan_.contenders) {
    if (!contender->finished) engine_.prepare_and_verify(*contender, plan_.launch);
    if (end_if_pair_is_lost(*contender)) return;
  }
}

bool Visit::end_if_pair_is_lost(const Contender& contender) {
  is_lost_ = is_lost_ || (contender.finished && plan_.is_paired);
  return is_lost_;
}

void Visit::warm_up(double wait_until) {
  if (is_lost_) return;
  wait_until_ = wait_until;
  engine_.speed().begin_visit(std::ranges::any_of(plan_.contenders, needs_probes));
  for (Contender* contender : plan_.contenders) {
    if (!contender->finished) engine_.calibrate(*contender, plan_.seconds, plan_.keeps_iterations);
    if (end_if_pair_is_lost(*contender)) return;
  }
  if (!plan_.keeps_iterations) match_iterations();
  take_warm_up_rounds();
  if (!is_lost_ && !Interruption::requested()) engine_.speed().probe();
}

void Visit::match_iterations() const {
  if (!plan_.is_paired) return;
  std::int64_t most = 1;
  double extra_work = 0;
  for (const Contender* contender : plan_.contenders) {
    most = std::max(most, contender->iterations);
    extra_work = std::max(extra_work, contender->participant->extra_work);
  }
  for (Contender* contender : plan_.contenders)
    contender->iterations = whole_iterations(
        paired_iterations(contender->iterations, most, contender->request_seconds), extra_work);
}

void Visit::take_warm_up_rounds() {
  std::vector<WarmUp> warm_ups(plan_.contenders.size());
  for (std::size_t i = 0; i < warm_ups.size(); ++i) warm_ups[i].spent = plan_.contenders[i]->warm_seconds;
  for (bool more = true; more && !Interruption::requested();) {
    more = false;
    for (std::size_t i = 0; i < warm_ups.size(); ++i) {
      Contender& contender = *plan_.contenders[i];
      if (contender.finished || is_warm(warm_ups[i], plan_.seconds)) continue;
      const double start = engine_.time().now();
      const auto s = engine_.take_warm_up_sample(contender);
      if (end_if_pair_is_lost(contender)) return;
      if (!s) continue;
      warm_ups[i].samples.push_back(s->seconds);
      // The longer one is reported by programs with simulated time.
      warm_ups[i].spent += std::max(total_seconds(*s), engine_.time().now() - start);
      more = true;
    }
  }
}

bool Visit::goes_on() {
  if (is_lost_ || has_enough_) return false;
  if (rounds_.empty() && !Interruption::requested()) {
    engine_.wait_for_own_speed(*plan_.contenders.front(), wait_until_);
    begun_ = engine_.time().now();
  }
  if (!Interruption::requested()) return true;
  probe_rounds();
  return false;
}

std::vector<Round> Visit::sample(const std::vector<std::size_t>& due) {
  has_enough_ = due.empty() && rounds_.empty();
  if (!due.empty()) {
    for (const std::size_t i : due) engine_.cool_down(*plan_.contenders[i]);
    rounds_.push_back(take_round(due));
    if (is_lost_) return {};
    const bool is_time_to_probe = engine_.time().now() - begun_ >= engine_.speed().stretch();
    if (!rounds_.back().throttled && !is_time_to_probe) return {};
  }
  std::vector<Round> rounds = probe_rounds();
  return Interruption::requested() ? std::vector<Round>() : rounds;
}

Round Visit::take_round(const std::vector<std::size_t>& due) {
  Round round;
  round.samples.resize(plan_.contenders.size());
  for (const std::size_t i : due) {
    Contender& contender = *plan_.contenders[i];
    round.samples[i] = engine_.take_kept_sample(contender);
    if (end_if_pair_is_lost(contender)) return round;
    round.throttled |= round.samples[i] && engine_.may_rest(contender);
  }
  match_iterations();  // those of one side may have grown
  return round;
}

std::vector<Round> Visit::probe_rounds() {
  std::vector<Round> rounds = std::exchange(rounds_, {});
  if (rounds.empty()) return rounds;
  const RoundSpeed speed = engine_.speed().probe_after(rounds.size());
  if (!speed.own_speed) return rounds;
  for (Round& round : rounds) static_cast<RoundSpeed&>(round) = speed;
  for (std::size_t i = 0; i < plan_.contenders.size(); ++i) {
    const auto taken = static_cast<std::size_t>(
        std::ranges::count_if(rounds, [&](const Round& round) { return round.samples[i].has_value(); }));
    Contender& contender = *plan_.contenders[i];
    const std::size_t all = contender.answers.size();
    if (taken == 0) continue;
    contender.own_speed.resize(all - taken, std::numeric_limits<double>::quiet_NaN());
    contender.own_speed.resize(all, *speed.own_speed);
    contender.probes.resize(all - taken);
    contender.probes.resize(all, speed.probes);
  }
  return rounds;
}

bool Visit::end(bool measures_energy) {
  const HostUse after = engine_.host_use();
  for (Contender* contender : plan_.contenders) {
    const auto goes_on = [&] { return !contender->finished && !Interruption::requested(); };
    if (!is_lost_ && measures_energy && goes_on()) engine_.measure_energy(*contender);
    if (!is_lost_ && goes_on()) engine_.check_without_further_runs(*contender);
    if (!is_lost_ && goes_on()) engine_.verify_again(*contender);
    if (goes_on()) engine_.compare_with_any_processor(*contender);
    engine_.close(*contender, before_, after);
  }
  return !is_lost_ && !Interruption::requested();
}

}  // namespace breakeven
