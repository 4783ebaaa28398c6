// Describes a GPU, and its state while a backend computes on it, read through NVML.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/nvml.h"
#include "host/steady_clock.h"
#include "results/result.h"
#include "workloads/interface.h"

namespace breakeven {

/// The GPUs that these backends compute on, each once. Opens `nvml` only if there is one, because this takes
/// up to a second on machines with many GPUs.
std::vector<Gpu> describe_gpus(const std::vector<BackendRecord>& backends, std::optional<Nvml>& nvml);

/// Warnings about GPUs that others use already, or that refuse a second program although several of this run
/// compute on them: each backend has one for each of `rank_counts` numbers of ranks. Must be called while no
/// backend runs.
std::vector<Note> gpu_warnings(const std::vector<Gpu>& gpus, const std::vector<BackendRecord>& backends,
                               std::size_t rank_counts, const std::optional<Nvml>& nvml);

/// The number of `processes` that are not `ours`. Unknown if none of them is ours: the driver then numbers
/// processes as another system or container does.
Reading<std::int64_t> count_others(const Reading<std::vector<std::int64_t>>& processes,
                                   const std::function<bool(std::int64_t)>& ours);

/// The energy that a GPU has used since some moment, and the time of the reading.
struct EnergyReading {
  double joules = 0;
  Clock::time_point at{};
};

/// The joules of `work_seconds` of work between two readings. The rest of that time, up to the counter's next
/// update, is taken off at the power of the GPU between `after` and `idle`, a reading after a further update.
double joules_of_work(const EnergyReading& before, const EnergyReading& after, const EnergyReading& idle,
                      double work_seconds);

/// Follows one GPU through the samples of one case on one backend.
class GpuWatch : public Interface {
 public:
  /// Begins a sample, just before the request.
  virtual void begin() = 0;
  /// Reads values during a sample. Must be called every few milliseconds; some of the calls read nothing.
  virtual void look() = 0;
  /// Ends a sample after its answer. Returns why the clocks were lowered meanwhile; empty if they were not.
  virtual std::vector<std::string> end() = 0;

  /// The energy used so far. Waits until the counter is updated, so that all work before the call is
  /// included.
  virtual Reading<EnergyReading> settled_energy() const = 0;

  /// The conditions over all samples so far, without `watts`: a sample is shorter than the interval in which
  /// a GPU updates its power reading.
  virtual DeviceConditions conditions() const = 0;
};

class NvmlGpuWatch : public GpuWatch {
 public:
  /// `ours` returns true if a process belongs to this run.
  NvmlGpuWatch(const Nvml& nvml, const std::string& id, std::function<bool(std::int64_t)> ours);

  void begin() override;
  void look() override;
  std::vector<std::string> end() override;
  Reading<EnergyReading> settled_energy() const override;
  DeviceConditions conditions() const override;

 private:
  using Violations = std::map<std::string, Reading<double>>;

  Violations violations() const;
  void look_around();

  Reading<NvmlDevice> device_;
  std::function<bool(std::int64_t)> ours_;
  Reading<std::int64_t> ecc_before_;
  Violations before_;
  Clock::time_point begun_{}, read_at_{}, looked_around_{};
  ClockReasons seen_ = 0;  // in the current sample
  ClockReasons latest_reasons_ = 0;
  ClockReasons all_seen_ = 0;
  std::vector<double> sm_mhz_, memory_mhz_;
  DeviceConditions kept_;  // the other conditions
};

}  // namespace breakeven
