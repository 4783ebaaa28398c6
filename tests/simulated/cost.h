// How long the simulated backend says that work takes: a known function, so that what is made of the timings
// can be held against the truth.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "simulated/settings.h"
#include "workloads/workload.h"

namespace breakeven::simulated {

/// Seconds of one iteration without noise: factor * (fixed + per_flop * FLOPs + per_byte * bytes).
struct Cost {
  double fixed = 1e-4;  // seconds: what a launch costs
  double per_flop = 0, per_byte = 0;
  double factor = 1;  // 1.05 is 5 % slower at everything
  double watts = 0;   // joules are known where this is not 0

  static Cost taken_from(Settings& settings);
  double seconds(const Case& problem) const;
};

/// What multiplies a sample's seconds. Two processes of one seed, name and number give the same.
struct Noise {
  double relative = 0;           // standard deviation of the logarithm, from sample to sample
  double between_processes = 0;  // the same, from process to process
  double drift = 0;              // added with every sample: 0.01 is 1 % slower each time
  std::vector<double> recorded;  // instead of `relative`: these in turn, from the start again at their end
  std::uint64_t seed = 0;        // 0: another in each process

  static Noise taken_from(Settings& settings);
};

class NoiseSource {
 public:
  /// `process` numbers those of one name.
  NoiseSource(Noise noise, const std::string& name, int process);
  /// The factor of the next sample.
  double next();

 private:
  Noise noise_;
  std::mt19937_64 generator_;
  double of_process_ = 1;
  std::size_t samples_ = 0;
};

/// Adds what the file of the setting `cost` says of the backend `name`, where a setting does not say
/// otherwise. It holds the same keys, by backend: {"cpu": {"per_flop": 1e-11}, "gpu": {"fixed": 1e-5}}.
void add_cost_file(Settings& settings, const std::string& name);

}  // namespace breakeven::simulated
