// What a GPU is, and what it does while a backend computes on it, read through NVML.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/nvml.h"
#include "results/result.h"

namespace breakeven {

/// The GPUs that these backends compute on, each once. `nvml` is opened where there is one: to do so takes up
/// to a second on machines with many.
std::vector<Gpu> describe_gpus(const std::vector<BackendRecord>& backends, std::optional<Nvml>& nvml);

/// What keeps measurements on `now` from standing beside those on `then`, as in "its power limit was 700 W
/// and is 500 W"; empty where nothing does. What changes by itself (the link of an idle card) and what is
/// unknown does not.
std::string gpu_difference(const Gpu& then, const Gpu& now);

/// How many of `processes` are not `ours`. Unknown where none of them is: then the driver counts processes as
/// another system or container does, and nobody can tell.
Reading<std::int64_t> count_others(const Reading<std::vector<std::int64_t>>& processes,
                                   const std::function<bool(std::int64_t)>& ours);

/// Follows one GPU through the samples of one case on one backend.
class GpuWatch {
 public:
  GpuWatch() = default;
  virtual ~GpuWatch() = default;
  GpuWatch(const GpuWatch&) = delete;
  GpuWatch& operator=(const GpuWatch&) = delete;
  GpuWatch(GpuWatch&&) = delete;
  GpuWatch& operator=(GpuWatch&&) = delete;

  /// A sample is about to be asked for.
  virtual void begin() = 0;
  /// It is under way: to be called every few milliseconds. Some of the calls read nothing.
  virtual void look() = 0;
  /// It has been answered. What held the clocks down meanwhile; empty: nothing.
  virtual std::vector<std::string> end() = 0;

  /// Joules used so far, as soon as the counter has moved on: what was done before is in it.
  virtual Reading<double> settled_joules() const = 0;

  /// Of all samples so far.
  virtual DeviceConditions conditions() const = 0;
};

/// Finds those of `allowed` that are nearest to this GPU: a program on another socket's CPUs has its data in
/// memory that is farther from the card. Empty where that is all or none of them, or not known.
std::vector<int> cpus_near_gpu(const Nvml& nvml, const std::string& id, const std::vector<int>& allowed);

class NvmlGpuWatch : public GpuWatch {
 public:
  /// `ours` tells whether a process belongs to this run.
  NvmlGpuWatch(const Nvml& nvml, const std::string& id, std::function<bool(std::int64_t)> ours);

  void begin() override;
  void look() override;
  std::vector<std::string> end() override;
  Reading<double> settled_joules() const override;
  DeviceConditions conditions() const override;

 private:
  using Clock = std::chrono::steady_clock;
  using Violations = std::map<std::string, Reading<double>>;

  Violations violations() const;
  void look_around();

  Reading<NvmlDevice> device_;
  std::function<bool(std::int64_t)> ours_;
  Reading<std::int64_t> ecc_before_;
  Violations before_;
  Clock::time_point begun_{}, read_at_{}, looked_around_{};
  ClockReasons seen_ = 0;  // in this sample
  ClockReasons latest_reasons_ = 0;
  ClockReasons all_seen_ = 0;
  std::vector<double> sm_mhz_, memory_mhz_, watts_;
  DeviceConditions kept_;  // the rest
};

}  // namespace breakeven
