// Convolutions by cuDNN's graphs (cuDNN front end, "Convolution operations"), all tensors channels last: NHWC
// and KRSC, the layout that tensor cores read.
#include "workloads/conv2d.h"

#include <fmt/format.h>

#include <limits>
#include <unordered_map>
#include <vector>

#include "backends/cuda/cudnn_api.h"
#include "backends/cuda/device.h"
#include "backends/cuda/race.h"
#include "backends/cuda/work.h"
#include "worker/backend.h"
#include "workloads/host_tensors.h"
#include "workloads/layout.h"

namespace breakeven::cuda {
namespace {

std::vector<Dtype> dtypes() {
  const DeviceFacts device = device_facts();
  std::vector<Dtype> all{Dtype::f32, Dtype::f16};
  if (device.major >= 8) all.insert(all.end(), {Dtype::tf32, Dtype::bf16});
  return all;
}

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

/// Four axes in the order of the workload (NCHW, KCRS), of which the second is the fastest in memory.
struct Shape {
  std::int64_t outer, channels, rows, columns;

  std::vector<std::int64_t> dimensions() const { return {outer, channels, rows, columns}; }
  std::vector<std::int64_t> strides() const {
    return {channels * rows * columns, 1, columns * channels, channels};
  }
};

/// Of the three tensors, in the order in which HostTensors has them.
struct Shapes {
  Shape first, second, output;
};

Shapes shapes_of(const Conv2d& p) {
  const Shape source{p.n, p.c, p.h, p.w};
  const Shape weights{p.k, p.c / p.groups, p.r, p.s};
  const Shape result{p.n, p.k, p.p(), p.q()};
  switch (p.pass) {
    case Pass::forward:
      return {source, weights, result};
    case Pass::backward_data:
      return {result, weights, source};
    case Pass::backward_weights:
      break;
  }
  return {source, result, weights};
}

class Convolution final : public Work {
 public:
  Convolution(const Conv2d& problem, std::uint64_t seed)
      : p_(problem),
        shapes_(shapes_of(problem)),
        tensors_(HostTensors::of(problem, seed)),
        handle_(make_handle()) {
    if (p_.elements_source() > std::numeric_limits<std::int32_t>::max() ||
        p_.elements_result() > std::numeric_limits<std::int32_t>::max())
      throw Unsupported("cuDNN's kernels count the elements of a tensor in 32 bits");
    check(cudnnSetStream(handle_.get(), stream().get()), "cudnnSetStream");
    describe();
    upload();
    choose();
  }

  void run() override { check(call(), "running cuDNN's plan"); }

  Evidence show(const std::vector<std::int64_t>& elements) override {
    tensors_.poison();
    output_memory_.upload(tensors_.output.data());
    run();
    wait();
    Buffer<std::byte> held(tensors_.output.size());
    output_memory_.download(held.data());
    // Back from channels last.
    const Shape& shape = shapes_.output;
    transpose_matrices(held.data(), shape.outer, shape.rows * shape.columns, shape.channels, element_bytes(),
                       tensors_.output.data());
    return tensors_.evidence(elements);
  }

  std::string algorithm() const override { return algorithm_; }

 private:
  std::size_t element_bytes() const { return facts(p_.dtype).bytes; }

  /// The graph of one operation.
  void describe() {
    graph_.set_io_data_type(type_of(p_.dtype))
        .set_intermediate_data_type(fe::DataType_t::FLOAT)
        .set_compute_data_type(fe::DataType_t::FLOAT);
    const auto input = [&](const Shape& shape, const char* name) {
      return graph_.tensor(fe::graph::Tensor_attributes()
                               .set_name(name)
                               .set_dim(shape.dimensions())
                               .set_stride(shape.strides()));
    };
    first_tensor_ = input(shapes_.first, "first");
    second_tensor_ = input(shapes_.second, "second");
    output_tensor_ = operation();
    output_tensor_->set_output(true)
        .set_dim(shapes_.output.dimensions())
        .set_stride(shapes_.output.strides());
    check(graph_.validate(), "describing the convolution to cuDNN");
    check(graph_.build_operation_graph(handle_.get()), "cuDNN's operation graph");
  }

  std::shared_ptr<fe::graph::Tensor_attributes> operation() {
    const auto with = [&](auto attributes) {
      return attributes.set_padding({p_.pad_h, p_.pad_w})
          .set_stride({p_.stride_h, p_.stride_w})
          .set_dilation({p_.dilation, p_.dilation});
    };
    switch (p_.pass) {
      case Pass::forward:
        return graph_.conv_fprop(first_tensor_, second_tensor_, with(fe::graph::Conv_fprop_attributes()));
      case Pass::backward_data:
        return graph_.conv_dgrad(first_tensor_, second_tensor_, with(fe::graph::Conv_dgrad_attributes()));
      case Pass::backward_weights:
        break;
    }
    // The gradient first, then what it was the gradient of.
    return graph_.conv_wgrad(second_tensor_, first_tensor_, with(fe::graph::Conv_wgrad_attributes()));
  }

  Memory channels_last(const Buffer<std::byte>& plain, const Shape& shape) const {
    Buffer<std::byte> turned(plain.size());
    transpose_matrices(plain.data(), shape.outer, shape.channels, shape.rows * shape.columns, element_bytes(),
                       turned.data());
    return Memory::of(turned.data(), turned.size());
  }

  void upload() {
    first_memory_ = channels_last(tensors_.first, shapes_.first);
    second_memory_ = channels_last(tensors_.second, shapes_.second);
    tensors_.first = {};
    tensors_.second = {};
    output_memory_ = Memory(tensors_.output.size());
    memory_of_ = {{first_tensor_, first_memory_.data()},
                  {second_tensor_, second_memory_.data()},
                  {output_tensor_, output_memory_.data()}};
  }

  /// Builds the plans that the heuristics prefer, and keeps the one that is fastest here. The first of them
  /// is what a program takes that does not search.
  void choose() {
    check(graph_.create_execution_plans({fe::HeurMode_t::A, fe::HeurMode_t::FALLBACK}), "cuDNN's heuristics");
    graph_.deselect_numeric_notes(refused(p_.dtype)).deselect_workspace_greater_than(most_workspace);
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
      race.add(i, quick_seconds());
    }
    if (race.tried() == 0)
      throw Unsupported(fmt::format("cuDNN has no plan for {} at these sizes: {}", name(p_.dtype), why_none));
    chosen_ = race.fastest();
    std::int64_t bytes = 0;
    std::string plan;
    check(graph_.get_workspace_size_plan_at_index(chosen_, bytes), "cuDNN's workspace");
    check(graph_.get_plan_name_at_index(chosen_, plan), "cuDNN's name of the plan");
    algorithm_ = fmt::format("cuDNN {}, workspace {} KiB, NHWC; {}", plan, bytes / 1024, race.text());
  }

  fe::error_t call() {
    return graph_.execute_plan_at_index(handle_.get(), memory_of_, workspace_.data(), chosen_);
  }

  static constexpr std::int64_t most_workspace = std::int64_t{1} << 30U;
  /// Some of them are compiled while they are built, which takes up to a second each.
  static constexpr int most_plans = 12;

  Conv2d p_;
  Shapes shapes_;
  HostTensors tensors_;
  CudnnHandle handle_;
  fe::graph::Graph graph_;
  std::shared_ptr<fe::graph::Tensor_attributes> first_tensor_, second_tensor_, output_tensor_;
  Memory first_memory_, second_memory_, output_memory_, workspace_;
  std::unordered_map<std::shared_ptr<fe::graph::Tensor_attributes>, void*> memory_of_;
  std::int64_t chosen_ = 0;
  std::string algorithm_;
};

const OperationRegistration registered({.op = "conv2d",
                                        .dtypes = dtypes,
                                        .prepare = [](const Case& problem,
                                                      std::uint64_t seed) -> std::unique_ptr<Prepared> {
                                          return std::make_unique<Convolution>(Conv2d(problem.parameters),
                                                                               seed);
                                        }});

}  // namespace
}  // namespace breakeven::cuda
