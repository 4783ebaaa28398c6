// A candidate in a comparison of machines: the processors of a machine, or one of its GPUs, with all that
// result files say about it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "results/result.h"

namespace breakeven {

/// Identifies a device: the machine, the threads that compute, and which of its devices it is.
std::string device_key(const Result& run, const CaseResult& result);

struct Candidate {
  /// The user's label; else the name of the GPU, or of the CPU with its cores, and the machine's name if that
  /// distinguishes candidates.
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
