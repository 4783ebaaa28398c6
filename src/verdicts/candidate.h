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

/// Identifies a device by the machine, the number of threads, and the device within the machine.
std::string device_key(const Result& run, const CaseResult& result);

/// The same for many results of one run, which must outlive it.
class DeviceKeys {
 public:
  explicit DeviceKeys(const Result& run);
  std::string of(const CaseResult& result) const;

 private:
  const Result& run_;
  std::string machine_;
};

/// True if the newer result of a case replaces the older one. One that was interrupted says nothing: it does
/// not hide what an earlier run measured.
bool supersedes(const CaseResult& newer, const CaseResult& older);

struct Candidate {
  /// The user's label; else the name of the GPU, or of the CPU with its cores, and the machine's name if that
  /// distinguishes candidates.
  std::string name;
  std::string key;     // device_key() of its results
  std::string device;  // the GPU's name or the CPU's model, exactly
  bool is_cpu = true;
  std::optional<std::int64_t> memory_bytes;  // of the GPU
  Host host;
  std::map<std::string, std::vector<const CaseResult*>> cases;  // by id; the newest result of each backend
  std::vector<const BackendRecord*> backends;                   // those available on this device
  std::vector<const BackendRecord*> lacking;                    // those of its machine that are not available
};

/// The candidates in the results, in the order in which they first appear. They point into the results, which
/// must outlive them.
std::vector<Candidate> candidates(std::span<const Result> results);

}  // namespace breakeven
