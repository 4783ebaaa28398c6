// The common part of the sessions of run, gate and threshold.
#pragma once

#include <cstddef>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "session/environment.h"
#include "session/schedule.h"
#include "session/visit.h"
#include "version.h"

namespace breakeven {

/// An engine, a time limit and random orders.
class MeasuringSession : public Interface {
 protected:
  /// `measure`, `instruments` and `show` must outlive the session. It is out of time after `max_seconds`.
  MeasuringSession(const Measure& measure, const Instruments& instruments, int threads,
                   const std::optional<BackendRecord>& reference, double max_seconds,
                   const ShowProgress& show)
      : measure_(measure),
        show_(show),
        max_seconds_(max_seconds),
        generator_(measure.seed),
        engine_(measure, instruments, threads, reference,
                [this](const Contender& contender, const std::string& activity) {
                  report_progress(contender, activity);
                }),
        begun_(now()) {}

  virtual void report_progress(const Contender& contender, const std::string& activity) const = 0;

  double now() const { return engine_.time().now(); }
  bool out_of_time() const { return now() - begun_ > max_seconds_; }
  bool must_end() const { return Interruption::requested() || out_of_time(); }
  /// Seconds for which quiet moments of the machine may still be looked for, by waiting or by taking rounds
  /// again. A tenth of the time limit, or a quarter of the time that is gone, is enough to outlast neighbours
  /// that come and go. Beside those that stay, rounds count with bounds.
  double patience() const {
    return std::max(0.1 * max_seconds_, 0.25 * (now() - begun_)) - engine_.speed().waited_seconds() -
           retaken_seconds_;
  }
  /// Until when a visit that samples from now on may wait for the machine's own speed.
  double waits_until() const { return std::min(begun_ + max_seconds_, now() + std::max(0.0, patience())); }

  /// The rounds that are taken for one that counts: again while a GPU is throttled, or while the machine is
  /// below its own speed and there is patience for it. Then the one at the highest speed counts.
  class Attempts {
   public:
    explicit Attempts(MeasuringSession& session) : session_(session) {}

    /// Returns the round that counts, once it is taken.
    std::optional<Round> add(const Round& round) {
      takes_again_ = true;
      if (round.throttled) return std::nullopt;
      if (!best_ || round.own_speed.value_or(1) > best_->own_speed.value_or(1)) best_ = round;
      takes_again_ = !best_->is_undisturbed() && session_.patience() > 0;
      if (!takes_again_) return std::exchange(best_, std::nullopt);
      session_.retaken_seconds_ += round.seconds();
      return std::nullopt;
    }
    /// True if time ran out while a round was taken again and again.
    bool must_end() const { return takes_again_ && session_.out_of_time(); }

   private:
    MeasuringSession& session_;
    std::optional<Round> best_;
    bool takes_again_ = false;
  };

  /// True if the session has waited most of its time for a machine below its own speed.
  bool was_mostly_waiting() const { return engine_.speed().waited_seconds() > (now() - begun_) / 2; }

  /// Begins `report`: when, with what and on which machine it is measured. Each backend has cases of
  /// `rank_counts` numbers of ranks.
  template <typename Report>
  void begin_report(Report& report, int threads, const std::vector<BackendRecord>& backends,
                    std::size_t rank_counts = 1) {
    report.created = now_utc();
    report.tool_version = version;
    warn_of_build(report.warnings);
    report.host = describe_host(threads);
    report.host.gpus = engine_.find_gpus(backends);
    for (Note& warning : engine_.warnings_of_gpus(backends, rank_counts))
      report.warnings.push_back(std::move(warning));
  }
  /// Stops all programs, and adds to `report` how fast the machine was, together with an `earlier` part.
  template <typename Report>
  void end_report(Report& report, const std::optional<MachineSpeed>& earlier = {}) {
    engine_.stop_workers();
    report.machine_speed = joined_speeds(earlier, engine_.speed().summary());
    warn_of_speed(report.machine_speed, report.warnings);
  }

  const Measure& measure_;
  const ShowProgress& show_;
  const double max_seconds_;
  std::mt19937_64 generator_;
  Engine engine_;
  const double begun_;

 private:
  double retaken_seconds_ = 0;  // of rounds that were taken again on a slow machine
};

}  // namespace breakeven
