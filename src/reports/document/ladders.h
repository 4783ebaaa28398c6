// Ladders of optimisation: the rate of one work as more options are turned on. Charts and sentences are made
// of them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reports/document/families.h"
#include "reports/document/runs.h"
#include "statistics/estimate.h"

namespace breakeven {

/// A result that is a step of a ladder.
struct Rung {
  std::size_t step = 0;  // index into the ladder's steps
  const Timed* timed = nullptr;
  Estimate rate = {};  // in the ladder's unit
};

/// Results for one work that differ in options (`tuned`, `fused`, `graph`), and may differ in dtype and batch
/// as well.
struct Ladder {
  std::string name;                     // "train mlp"
  std::string work;                     // "Training the MLP"; printable
  std::string unit;                     // "images per second"
  std::vector<std::string> steps = {};  // "bf16 + tuned, batch 64", in the order of the results; printable
  InOrder<std::string, std::vector<Rung>> backends = {};  // by step
};

/// The ladders of at least three steps, and of no more than a chart can show. Results without a rate are left
/// out. The ladders point into `all`, which must outlive them.
std::vector<Ladder> ladders_of(const std::vector<Timed>& all);

}  // namespace breakeven
