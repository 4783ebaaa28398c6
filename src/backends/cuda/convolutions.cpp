#include "backends/cuda/convolutions.h"

#include <fmt/format.h>

#include <cstddef>
#include <unordered_map>

#include "backends/cuda/convolution_graph.h"
#include "backends/cuda/device.h"
#include "backends/cuda/race.h"
#include "worker/backend.h"

namespace breakeven::cuda {
namespace {

/// Throws as check() of device.h does.
void check(const fe::error_t& error, const char* what) {
  if (error.is_good()) return;
  cuda::check(cudaGetLastError(),
              what);  // the cause, where it is CUDA's: before a plan is called unsupported
  switch (error.code) {
    case fe::error_code_t::GRAPH_NOT_SUPPORTED:
    case fe::error_code_t::HEURISTIC_QUERY_FAILED:
    case fe::error_code_t::UNSUPPORTED_GRAPH_FORMAT:
      throw Unsupported(fmt::format("{}: {}", what, error.err_msg));
    default:
      library_failed(what, error.err_msg.c_str(), false);
  }
}

}  // namespace

/// A convolution's plans on one device, with the memory that they work on.
class Convolution::Plans {
 public:
  Plans(const ConvolutionProblem& problem, const ConvolutionOperands& operands, cudnnHandle_t handle)
      : graph_(problem), operands_(operands), handle_(handle) {
    check(graph_.plan(handle), "cuDNN's plans of the convolution");
    memory_of_ = {{graph_.first(), operands.first},
                  {graph_.second(), operands.second},
                  {graph_.output(), operands.output}};
    if (graph_.bias()) memory_of_[graph_.bias()] = operands.bias;
  }

  std::int64_t count() { return graph_.get().get_execution_plan_count(); }

  /// Until the next plan is chosen, call() takes this one. Not good: it cannot be built.
  fe::error_t choose(std::int64_t plan) {
    if (auto built = graph_.get().build_plan_at_index(plan); built.is_bad()) return built;
    chosen_ = plan;
    if (const std::int64_t bytes = workspace_bytes(); bytes > workspace_.bytes()) workspace_ = Memory(bytes);
    return {};
  }

  fe::error_t call() {
    if (Turns& turns = operands_.turns; turns.sets > 1) {
      turns.next();
      const auto of_turn = [&](void* first_set, std::int64_t step) {
        return static_cast<std::byte*>(first_set) + turns.set * step;
      };
      memory_of_[graph_.first()] = of_turn(operands_.first, turns.first_step);
      memory_of_[graph_.second()] = of_turn(operands_.second, turns.second_step);
      memory_of_[graph_.output()] = of_turn(operands_.output, turns.output_step);
    }
    return graph_.get().execute_plan_at_index(handle_, memory_of_, workspace_.data(), chosen_);
  }

  /// cuDNN's name of the chosen plan, and the memory it takes.
  std::string text() {
    std::string plan;
    check(graph_.get().get_plan_name_at_index(chosen_, plan), "cuDNN's name of the plan");
    return fmt::format("cuDNN {}, workspace {} KiB, NHWC", plan, workspace_bytes() / 1024);
  }

 private:
  std::int64_t workspace_bytes() {
    std::int64_t bytes = 0;
    check(graph_.get().get_workspace_size_plan_at_index(chosen_, bytes), "cuDNN's workspace");
    return bytes;
  }

  ConvolutionGraph graph_;
  ConvolutionOperands operands_;
  cudnnHandle_t handle_;
  std::unordered_map<ConvolutionGraph::Tensor, void*> memory_of_;
  Memory workspace_;
  std::int64_t chosen_ = 0;
};

Convolution::Convolution(const ConvolutionProblem& problem, const ConvolutionOperands& operands,
                         cudnnHandle_t handle, Stopwatch& stopwatch, int most_plans)
    : plans_(std::make_unique<Plans>(problem, operands, handle)) {
  choose(problem.dtype, stopwatch, most_plans);
}

Convolution::~Convolution() = default;

void Convolution::enqueue() {
  check(plans_->call(), "running cuDNN's plan");
}

/// Builds the plans that the heuristics prefer, and keeps the one that is fastest here. The first of them
/// is what a program takes that does not search.
void Convolution::choose(Dtype dtype, Stopwatch& stopwatch, int most_plans) {
  Race<std::int64_t> race;
  std::string why_none = "the heuristics name no plan";
  for (std::int64_t i = 0; i < plans_->count() && race.tried() < most_plans; ++i) {
    if (const auto chosen = plans_->choose(i); chosen.is_bad()) {
      why_none = chosen.err_msg;
      continue;
    }
    if (const auto called = plans_->call(); called.is_bad()) {
      why_none = called.err_msg;
      continue;
    }
    race.add(i, stopwatch.quick_seconds([this] { enqueue(); }));
  }
  if (race.tried() == 0)
    throw Unsupported(fmt::format("cuDNN has no plan for {} at these sizes: {}", name(dtype), why_none));
  check(plans_->choose(race.fastest()), "building cuDNN's fastest plan");
  algorithm_ = fmt::format("{}; {}", plans_->text(), most_plans == 1 ? not_tuned : race.text());
}

}  // namespace breakeven::cuda
