// The times that the simulated backend reports: a known function, so that results computed from them can be
// compared with the true values.
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
  double factor = 1;  // 1.05: 5 % slower at everything
  double watts = 0;   // joules are reported if it is not 0

  static Cost taken_from(Settings& settings);
  double seconds(const Case& problem) const;
};

/// The factor of a sample's seconds. Two processes with the same seed, name and number have the same.
struct Noise {
  double relative = 0;           // between samples: standard deviation of the logarithm
  double between_processes = 0;  // the same between processes
  double drift = 0;              // added for every sample: 0.01 is 1 % slower each time
  std::vector<double> recorded;  // instead of `relative`: used in turn, repeatedly
  std::uint64_t seed = 0;        // 0: different in each process

  static Noise taken_from(Settings& settings);
};

class NoiseSource {
 public:
  /// `process` numbers the processes of one name.
  NoiseSource(Noise noise, const std::string& name, int process);
  /// The factor of the next sample.
  double next();

 private:
  Noise noise_;
  std::mt19937_64 generator_;
  double of_process_ = 1;
  std::size_t samples_ = 0;
};

/// Adds the settings in the file of the setting `cost` for the backend `name`, unless they are set already.
/// It has the same keys, by backend: {"cpu": {"per_flop": 1e-11}, "gpu": {"fixed": 1e-5}}.
void add_cost_file(Settings& settings, const std::string& name);

}  // namespace breakeven::simulated
