#include "backends/cuda/convolutions.h"

#include <fmt/format.h>

#include <cstddef>
#include <vector>

#include "backends/cuda/race.h"
#include "worker/backend.h"

namespace breakeven::cuda {

Convolution::Convolution(const ConvolutionProblem& problem, const ConvolutionMemory& operands,
                         cudnnHandle_t handle, Stopwatch& stopwatch, int most_plans, const Turns& turns)
    : plans_(make_convolution_plans(problem, handle)), operands_(operands), turns_(turns) {
  plans_->use(operands);
  choose(problem, stopwatch, most_plans);
}

void Convolution::enqueue(cudaStream_t stream) {
  if (const std::string why_not = call(stream); !why_not.empty())
    library_failed("running cuDNN's plan", why_not);
}

std::string Convolution::call(cudaStream_t stream) {
  if (turns_.sets > 1) {
    turns_.next();
    const auto of_turn = [&](void* first_set, std::int64_t step) {
      return static_cast<std::byte*>(first_set) + turns_.set * step;
    };
    plans_->use({of_turn(operands_.first, turns_.first_step), of_turn(operands_.second, turns_.second_step),
                 of_turn(operands_.output, turns_.output_step), operands_.bias});
  }
  return plans_->enqueue(chosen_, workspace_.data(), stream);
}

bool Convolution::has_workspace(std::int64_t bytes) {
  if (bytes <= workspace_.bytes()) return true;
  try {
    workspace_ = Memory();  // frees the old one first, whose memory may be needed
    workspace_ = Memory(bytes);
    return true;
  } catch (const OutOfMemory&) {
    return false;
  }
}

/// Builds the plans that the heuristics prefer, and keeps the fastest. If the search is off, it keeps the
/// first plan that can run.
void Convolution::choose(const ConvolutionProblem& problem, Stopwatch& stopwatch, int most_plans) {
  std::vector<std::int64_t> candidates;
  Refusals refusals;
  for (std::int64_t i = 0; i < plans_->count() && std::ssize(candidates) < most_plans; ++i) {
    if (const std::string why_not = plans_->build(i); !why_not.empty()) {
      refusals.add(why_not);
      continue;
    }
    if (const std::int64_t bytes = plans_->workspace_bytes(i); !has_workspace(bytes)) {
      refusals.add_out_of_memory(fmt::format("a plan's workspace takes {} MiB, and {} MiB are free",
                                             bytes >> 20, free_memory() >> 20));
      continue;
    }
    chosen_ = i;
    if (const std::string why_not = call(stopwatch.stream()); !why_not.empty()) {
      refusals.add(why_not);
    } else {
      candidates.push_back(i);
    }
  }
  if (candidates.empty())
    refusals.none_left(fmt::format("cuDNN has no plan for {} at these sizes", name(problem.dtype)));
  // A workspace that was too large may have released the one that earlier candidates used.
  std::erase_if(candidates,
                [this](std::int64_t plan) { return !has_workspace(plans_->workspace_bytes(plan)); });
  if (candidates.empty()) throw OutOfMemory("the workspace of cuDNN's plans");
  const auto raced = race(stopwatch, candidates, most_plans > 1, [&](std::int64_t plan) {
    chosen_ = plan;
    enqueue(stopwatch.stream());
  });
  chosen_ = raced.fastest;
  algorithm_ = fmt::format("{}, workspace {} KiB, {}; {}", plans_->name(chosen_),
                           plans_->workspace_bytes(chosen_) / 1024, name(problem.layout), raced.text);
}

}  // namespace breakeven::cuda
