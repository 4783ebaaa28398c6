#include "backends/cuda/convolutions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <limits>

#include "backends/cuda/race.h"
#include "worker/backend.h"

namespace breakeven::cuda {
namespace {

fe::DataType_t type_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::f16:
      return fe::DataType_t::HALF;
    case Dtype::bf16:
      return fe::DataType_t::BFLOAT16;
    default:
      return fe::DataType_t::FLOAT;
  }
}

/// What would not give a sum of products in the precision asked for. Kernels on tensor cores round f32 inputs
/// to TF32; the error of transforms grows with their tile, and exceeds what is allowed a sum of products.
std::vector<fe::NumericalNote_t> refused(Dtype dtype) {
  std::vector notes{fe::NumericalNote_t::REDUCED_PRECISION_REDUCTION, fe::NumericalNote_t::FFT,
                    fe::NumericalNote_t::WINOGRAD_TILE_6x6, fe::NumericalNote_t::WINOGRAD_TILE_13x13};
  if (dtype == Dtype::f32) notes.push_back(fe::NumericalNote_t::TENSOR_CORE);
  if (dtype != Dtype::tf32) notes.push_back(fe::NumericalNote_t::DOWN_CONVERT_INPUTS);
  return notes;
}

constexpr std::int64_t most_workspace = std::int64_t{1} << 30U;

}  // namespace

Convolution::Convolution(const ConvolutionProblem& problem, const ConvolutionOperands& operands,
                         cudnnHandle_t handle, Stopwatch& stopwatch, int most_plans)
    : handle_(handle), operands_(operands) {
  if (std::max(problem.source.elements(), problem.result.elements()) >
      std::numeric_limits<std::int32_t>::max())
    throw Unsupported("cuDNN's kernels count the elements of a tensor in 32 bits");
  describe(problem);
  choose(problem.dtype, stopwatch, most_plans);
}

void Convolution::enqueue() {
  check(call(), "running cuDNN's plan");
}

void Convolution::describe(const ConvolutionProblem& p) {
  graph_.set_io_data_type(type_of(p.dtype))
      .set_intermediate_data_type(fe::DataType_t::FLOAT)
      .set_compute_data_type(fe::DataType_t::FLOAT);
  const auto input = [&](const Shape& shape, const char* name) {
    return graph_.tensor(fe::graph::Tensor_attributes()
                             .set_name(name)
                             .set_dim(shape.dimensions())
                             .set_stride(shape.strides()));
  };
  first_ = input(p.first(), "first");
  second_ = input(p.second(), "second");
  memory_of_ = {{first_, operands_.first}, {second_, operands_.second}};
  Tensor output = operation(p, first_, second_);
  if (p.bias_and_relu) {
    output->set_dim(p.result.dimensions()).set_stride(p.result.strides());
    const Tensor bias = input({.channels = p.result.channels}, "bias");
    memory_of_[bias] = operands_.bias;
    const auto then = [](fe::PointwiseMode_t mode) {
      return fe::graph::Pointwise_attributes().set_mode(mode);
    };
    output = graph_.pointwise(output, bias, then(fe::PointwiseMode_t::ADD));
    output = graph_.pointwise(output, then(fe::PointwiseMode_t::RELU_FWD));
  }
  output->set_output(true).set_dim(p.output().dimensions()).set_stride(p.output().strides());
  memory_of_[output] = operands_.output;
  output_ = output;
  check(graph_.validate(), "describing the convolution to cuDNN");
  check(graph_.build_operation_graph(handle_), "cuDNN's operation graph");
}

Convolution::Tensor Convolution::operation(const ConvolutionProblem& p, const Tensor& first,
                                           const Tensor& second) {
  const auto with = [&](auto attributes) {
    return attributes.set_padding({p.pad_h, p.pad_w})
        .set_stride({p.stride_h, p.stride_w})
        .set_dilation({p.dilation, p.dilation});
  };
  switch (p.pass) {
    case Pass::forward:
      return graph_.conv_fprop(first, second, with(fe::graph::Conv_fprop_attributes()));
    case Pass::backward_data:
      return graph_.conv_dgrad(first, second, with(fe::graph::Conv_dgrad_attributes()));
    case Pass::backward_weights:
      break;
  }
  // The gradient first, then what it was the gradient of.
  return graph_.conv_wgrad(second, first, with(fe::graph::Conv_wgrad_attributes()));
}

/// Builds the plans that the heuristics prefer, and keeps the one that is fastest here. The first of them
/// is what a program takes that does not search.
void Convolution::choose(Dtype dtype, Stopwatch& stopwatch, int most_plans) {
  check(graph_.create_execution_plans({fe::HeurMode_t::A, fe::HeurMode_t::FALLBACK}), "cuDNN's heuristics");
  graph_.deselect_numeric_notes(refused(dtype)).deselect_workspace_greater_than(most_workspace);
  Race<std::int64_t> race;
  std::string why_none = "the heuristics name no plan";
  for (std::int64_t i = 0; i < graph_.get_execution_plan_count() && race.tried() < most_plans; ++i) {
    std::int64_t bytes = 0;
    const auto built = graph_.build_plan_at_index(i);
    if (built.is_bad()) {
      why_none = built.err_msg;
      continue;
    }
    check(graph_.get_workspace_size_plan_at_index(i, bytes), "cuDNN's workspace");
    if (bytes > workspace_.bytes()) workspace_ = Memory(bytes);
    chosen_ = i;
    if (const auto called = call(); called.is_bad()) {
      why_none = called.err_msg;
      continue;
    }
    race.add(i, stopwatch.quick_seconds([this] { enqueue(); }));
  }
  if (race.tried() == 0)
    throw Unsupported(fmt::format("cuDNN has no plan for {} at these sizes: {}", name(dtype), why_none));
  chosen_ = race.fastest();
  std::int64_t bytes = 0;
  std::string plan;
  check(graph_.get_workspace_size_plan_at_index(chosen_, bytes), "cuDNN's workspace");
  check(graph_.get_plan_name_at_index(chosen_, plan), "cuDNN's name of the plan");
  algorithm_ = fmt::format("cuDNN {}, workspace {} KiB, NHWC; {}", plan, bytes / 1024,
                           most_plans == 1 ? not_tuned : race.text());
}

fe::error_t Convolution::call() {
  if (Turns& turns = operands_.turns; turns.sets > 1) {
    turns.next();
    const auto of_turn = [&](void* first_set, std::int64_t step) {
      return static_cast<std::byte*>(first_set) + turns.set * step;
    };
    memory_of_[first_] = of_turn(operands_.first, turns.first_step);
    memory_of_[second_] = of_turn(operands_.second, turns.second_step);
    memory_of_[output_] = of_turn(operands_.output, turns.output_step);
  }
  return graph_.execute_plan_at_index(handle_, memory_of_, workspace_.data(), chosen_);
}

}  // namespace breakeven::cuda
