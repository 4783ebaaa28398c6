// Joins the result files of the shards of one run (`run --shard I/N`) into the result of the whole run.
#pragma once

#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "results/result.h"
#include "verdicts/differences.h"

namespace breakeven {

/// A result and the name of its file, for messages.
struct ShardFile {
  std::string file;
  Result result;
};

/// Thrown for files that are not all shards of one run. The message names the files and the remedy.
class ShardError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Thrown for shards that were measured under conditions too different for one result: the files of the first
/// and of another shard, how they differ, and the differences that would have to be allowed.
struct ShardsIncomparable {
  std::string first, other;
  std::vector<Note> differences = {};
  std::vector<std::string> kinds = {};
};

/// The names of the differences that may be allowed: all that concern whole runs.
std::vector<std::string> allowable_differences();

/// Joins the shards, with the cases in the config's order. Machines may differ in their names and in the ids
/// of their GPUs; a warning in the result then says where each shard was measured. Other differences that
/// `compare` finds must be in `allowed`. The result is incomplete if a shard is, and a warning in it says how
/// to continue. Throws ShardError and ShardsIncomparable.
Result merge_shards(std::vector<ShardFile> files, const std::set<Difference>& allowed);

}  // namespace breakeven
