// A candidate in a comparison of machines: the processors of a machine, or one of its GPUs, with all that
// result files say about it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "verdicts/measured_cases.h"

namespace breakeven {

struct Candidate {
  /// The user's label; else the name of the GPU, or of the CPU with its cores, and the machine's name if that
  /// distinguishes candidates.
  std::string name;
  std::string device;  // the GPU's name or the CPU's model, exactly
  bool is_cpu = true;
  std::optional<std::int64_t> memory_bytes;  // of the GPU
  Host host;
  /// The newest result of each backend, for each state of the caches, by id.
  std::map<std::string, std::vector<MeasuredCase>> cases;
  std::vector<const BackendRecord*> backends;  // those available on this device
  std::vector<const BackendRecord*> lacking;   // those of its machine that are not available

  /// The newest results of a case; empty if there are none.
  std::span<const MeasuredCase> results_of(const std::string& id) const {
    const auto found = cases.find(id);
    return found == cases.end() ? std::span<const MeasuredCase>() : found->second;
  }
};

/// The candidates in the results, in the order of MeasuredCase::device. They point into the results, which
/// must outlive them.
std::vector<Candidate> candidates(std::span<const Result> results);

}  // namespace breakeven
