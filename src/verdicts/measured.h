// Everything that a user brings to be reported: result files, and what `threshold` found.
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "results/result.h"
#include "verdicts/threshold.h"

namespace breakeven {

struct Measured {
  std::vector<Result> results;
  std::vector<Threshold> thresholds;
};

/// Of each kind in the order of the files, which are told apart by their schema, machines told apart; "-" is
/// standard input. Throws ResultError.
Measured read_measured(std::span<const std::filesystem::path> files);

}  // namespace breakeven
