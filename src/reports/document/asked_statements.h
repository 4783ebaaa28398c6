// Answers to questions that configs ask by name (results/focus.h): a function for each topic, from results to
// sentences. cards.h has those on topics that reports find by themselves.
#pragma once

#include <string_view>
#include <vector>

#include "reports/document/cards.h"
#include "reports/document/families.h"
#include "results/focus.h"

namespace breakeven {

/// "On average PyTorch takes 1.6x and JAX 3.7x (over 8 of 16) as long as the fastest library without a
/// framework."
std::vector<Statement> framework_statements(const std::vector<Timed>& all);

/// "On the GPU, CUDA is faster than the fastest variant of PyTorch for 15 of 41 problems; for 26 they are not
/// distinguishable." and the mean time of each framework.
std::vector<Statement> gpu_library_statements(const std::vector<Timed>& all);

/// "With operands read from memory, matrix products take 1.5x as long as with the same operands in each run
/// (10 problems: 1.00x to 3.4x)."
std::vector<Statement> operand_statements(const std::vector<Timed>& all);

/// "As one CUDA graph, training steps of CUDA run 1.8x as fast as call by call (24 problems: 1.00x to 5.3x)."
std::vector<Statement> graph_statements(const std::vector<Timed>& all);

/// "Training the CNN: 1,200 images per second in f32 with CUDA. Each step over the one before: bf16 1.4x,
/// bf16
/// + tuned 1.1x. All steps: 1.5x."
std::vector<Statement> step_statements(const std::vector<Timed>& all);

/// "Inference by the MLP: 57,500 images/s at batch 1 (oneDNN: median 17.4 µs, 99 % within 25.1 µs), ..."
std::vector<Statement> latency_statements(const std::vector<Family>& families);

/// "A training step of batch 128 takes 1.20 ms for the MLP and 28.9 ms for the CNN, each with its fastest
/// backend." and "The CNN reaches 90 % accuracy after 95.0 s with oneDNN."
std::vector<Statement> training_statements(const std::vector<Timed>& all);

/// "Bytes get to the GPU at up to 52.1 GB/s from pinned memory and 12.0 GB/s from pageable memory; 4 KiB
/// takes 8.10 µs."
std::vector<Statement> transfer_statements(const std::vector<Timed>& all);

/// "Matrix products on the GPU reach up to 51.0 TFLOP/s in f32 and 650 in bf16."
std::vector<Statement> rate_statements(const std::vector<Timed>& all);

/// The statements on one of the topics above; empty for others, and where nothing of it was measured.
std::vector<Statement> asked_statements(Focus focus, const std::vector<Timed>& all,
                                        const std::vector<Family>& families);

/// The measurements that an answer on the topic lacks: "no problem was measured on a GPU and on a CPU".
std::string_view missing_text(Focus focus);

/// "Not answered: no problem was measured on a GPU and on a CPU."
Sentence not_answered(Focus focus);

}  // namespace breakeven
