#include "backends/cuda/convolution_graph.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

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

/// The kinds of kernels that do not compute sums of products in the requested precision. Kernels on tensor
/// cores round f32 inputs to TF32; the error of transforms grows with their tile, and exceeds the tolerance
/// of a sum of products.
std::vector<fe::NumericalNote_t> refused(Dtype dtype, bool deterministic) {
  std::vector notes{fe::NumericalNote_t::REDUCED_PRECISION_REDUCTION, fe::NumericalNote_t::FFT,
                    fe::NumericalNote_t::WINOGRAD_TILE_6x6, fe::NumericalNote_t::WINOGRAD_TILE_13x13};
  if (dtype == Dtype::f32) notes.push_back(fe::NumericalNote_t::TENSOR_CORE);
  if (dtype != Dtype::tf32) notes.push_back(fe::NumericalNote_t::DOWN_CONVERT_INPUTS);
  if (deterministic) notes.push_back(fe::NumericalNote_t::NONDETERMINISTIC);
  return notes;
}

constexpr std::int64_t most_workspace = std::int64_t{1} << 30U;

}  // namespace

ConvolutionGraph::ConvolutionGraph(const ConvolutionProblem& p)
    : dtype_(p.dtype), deterministic_(p.deterministic) {
  if (std::max(p.source.elements(), p.result.elements()) > std::numeric_limits<std::int32_t>::max())
    throw Unsupported("cuDNN's kernels count the elements of a tensor in 32 bits");
  graph_.set_io_data_type(type_of(p.dtype))
      .set_intermediate_data_type(fe::DataType_t::FLOAT)
      .set_compute_data_type(fe::DataType_t::FLOAT);
  first_ = input(p.first(), p.layout, "first");
  second_ = input(p.second(), p.layout, "second");
  output_ = operation(p);
  if (p.bias_and_relu) {
    output_->set_dim(p.result.dimensions()).set_stride(p.result.strides(p.layout));
    bias_ = input({.channels = p.result.channels}, p.layout, "bias");
    const auto then = [](fe::PointwiseMode_t mode) {
      return fe::graph::Pointwise_attributes().set_mode(mode);
    };
    output_ = graph_.pointwise(output_, bias_, then(fe::PointwiseMode_t::ADD));
    output_ = graph_.pointwise(output_, then(fe::PointwiseMode_t::RELU_FWD));
  }
  output_->set_output(true).set_dim(p.output().dimensions()).set_stride(p.output().strides(p.layout));
}

fe::error_t ConvolutionGraph::plan(cudnnHandle_t handle) {
  if (auto described = graph_.validate(); described.is_bad()) return described;
  auto built = handle == nullptr ? graph_.build_operation_graph() : graph_.build_operation_graph(handle);
  if (built.is_bad()) return built;
  auto found = graph_.create_execution_plans({fe::HeurMode_t::A, fe::HeurMode_t::FALLBACK});
  graph_.deselect_numeric_notes(refused(dtype_, deterministic_))
      .deselect_workspace_greater_than(most_workspace);
  return found;
}

ConvolutionGraph::Tensor ConvolutionGraph::input(const Shape& shape, TensorLayout layout, const char* name) {
  return graph_.tensor(fe::graph::Tensor_attributes()
                           .set_name(name)
                           .set_dim(shape.dimensions())
                           .set_stride(shape.strides(layout)));
}

ConvolutionGraph::Tensor ConvolutionGraph::operation(const ConvolutionProblem& p) {
  const auto with = [&](auto attributes) {
    return attributes.set_padding({p.pad_h, p.pad_w})
        .set_stride({p.stride_h, p.stride_w})
        .set_dilation({p.dilation, p.dilation});
  };
  switch (p.pass) {
    case Pass::forward:
      return graph_.conv_fprop(first_, second_, with(fe::graph::Conv_fprop_attributes()));
    case Pass::backward_data:
      return graph_.conv_dgrad(first_, second_, with(fe::graph::Conv_dgrad_attributes()));
    case Pass::backward_weights:
      break;
  }
  // The gradient is the first argument, then the input.
  return graph_.conv_wgrad(second_, first_, with(fe::graph::Conv_wgrad_attributes()));
}

}  // namespace breakeven::cuda
