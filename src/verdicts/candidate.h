// What is ranked where machines are compared: the processors of a machine, or one of its GPUs, with all that
// result files say of them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "results/result.h"

namespace breakeven {

/// Tells one device from another: the machine, the threads that compute, and which of its devices.
std::string device_key(const Result& run, const CaseResult& result);

struct Candidate {
  /// A user's label; else the GPU's, or the CPU's with its cores, and the machine's where that tells them
  /// apart.
  std::string name;
  std::string key;     // device_key() of its results
  std::string device;  // the GPU's name or the CPU's model, exactly
  bool is_cpu = true;
  std::optional<std::int64_t> memory_bytes;  // of the GPU
  Host host;
  std::map<std::string, std::vector<const CaseResult*>> cases;  // by id; of each backend the newest
  std::vector<const BackendRecord*> backends;                   // available, on this device
  std::vector<const BackendRecord*> lacking;                    // of its machine, not available
};

/// In the order in which they first appear. Points into the results, which must outlive it.
std::vector<Candidate> candidates(std::span<const Result> results);

}  // namespace breakeven
