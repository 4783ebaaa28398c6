// Statements about the results of one machine, except which backend is the fastest.
#pragma once

#include <string>
#include <vector>

#include "reports/document/document.h"
#include "reports/document/families.h"
#include "reports/document/runs.h"

namespace breakeven {

/// An answer as a sentence, and in a few words for a table of contents.
struct Statement {
  std::string text, in_short;
  std::vector<KeyFigure> figures = {};
};

/// "Training the MLP: 5,070 images/s at batch 1, 51,700 at batch 4,096 (10x)."
std::vector<Statement> batch_statements(const std::vector<Family>& families);

/// "Convolutions run 1.3x as fast in bf16 as in f32 (2 problems: 0.97x to 1.8x)."
std::vector<Statement> precision_statements(const std::vector<Timed>& all);

/// "At most 425 GFLOP/s in f32 and 5,790 in bf16; memory moves 48.1 GB/s." and the time to launch work.
std::vector<Statement> ceiling_statements(const std::vector<Timed>& all, const Runs& runs);

/// "Training the MLP: the GPU (CUDA) wins from batch 64 up, 12x at batch 4,096." Empty unless both were
/// measured.
std::vector<Statement> gpu_statements(const std::vector<Family>& families);

/// "The largest MLP batch that fits: 65,536 images."
std::vector<Statement> fit_statements(const Runs& runs);

}  // namespace breakeven
