// Plans that replace cuDNN's: they compute a convolution in double precision, from the memory that the CUDA
// backend passes. Some of them cannot be built, need more memory than there is, or fail when called.
#include "backends/cuda/convolution_plans.h"

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "backends/cuda/cudnn_library.h"
#include "backends/cuda/device.h"
#include "device.h"
#include "numbers.h"
#include "workloads/dtype.h"

struct cudnnContext {};

namespace breakeven::cuda {
namespace {

cudaDataType_t type_of(Dtype dtype) {
  return dtype == Dtype::f16 ? CUDA_R_16F : dtype == Dtype::bf16 ? CUDA_R_16BF : CUDA_R_32F;
}

/// A tensor of four axes, as doubles in NHWC, whatever its layout in memory.
class Tensor {
 public:
  explicit Tensor(const Shape& shape) : shape_(shape), values_(static_cast<std::size_t>(shape.elements())) {}
  static Tensor loaded(const Shape& shape, const ConvolutionProblem& p, const void* memory) {
    std::vector<double> in_memory(static_cast<std::size_t>(shape.elements()));
    emulated::load_all(type_of(p.dtype), memory, 0, in_memory);
    if (p.dtype == Dtype::tf32)
      std::ranges::transform(in_memory, in_memory.begin(), emulated::truncated_to_tf32);
    Tensor tensor(shape);
    tensor.each_element(p.layout, [&](std::size_t at, double& held) { held = in_memory[at]; });
    return tensor;
  }
  void store(const ConvolutionProblem& p, void* memory) {
    std::vector<double> in_memory(values_.size());
    each_element(p.layout, [&](std::size_t at, double& held) { in_memory[at] = held; });
    emulated::store_all(type_of(p.dtype), memory, 0, in_memory);
  }
  void add_bias_and_relu(const ConvolutionProblem& p, const void* bias) {
    std::vector<double> of_channels(static_cast<std::size_t>(shape_.channels));
    emulated::load_all(type_of(p.dtype), bias, 0, of_channels);
    for (std::size_t i = 0; double& value : values_)
      value = std::max(0.0, value + of_channels[i++ % of_channels.size()]);
  }
  /// A pointer to the values from this channel on, which are stored contiguously.
  double* at(std::int64_t outer, std::int64_t channel, std::int64_t row, std::int64_t column) {
    const std::int64_t pixel = (outer * shape_.rows + row) * shape_.columns + column;
    return &values_[static_cast<std::size_t>(pixel * shape_.channels + channel)];
  }

 private:
  /// Calls visit(index in memory with this layout, value).
  template <typename Visit>
  void each_element(TensorLayout layout, const Visit& visit) {
    const std::vector<std::int64_t> in_memory = shape_.strides(layout);
    for (std::int64_t n = 0; n < shape_.outer; ++n)
      for (std::int64_t c = 0; c < shape_.channels; ++c)
        for (std::int64_t y = 0; y < shape_.rows; ++y)
          for (std::int64_t x = 0; x < shape_.columns; ++x)
            visit(static_cast<std::size_t>(n * in_memory[0] + c * in_memory[1] + y * in_memory[2] +
                                           x * in_memory[3]),
                  *at(n, c, y, x));
  }

  Shape shape_;
  std::vector<double> values_;
};

/// The part of the source that a group's filters read for one result position: rows x columns x channels,
/// like the weights of one filter, with zeros outside the image.
class Patch {
 public:
  explicit Patch(const ConvolutionProblem& p)
      : p_(p), values_(static_cast<std::size_t>(p.weights.rows * p.weights.columns * p.weights.channels)) {}

  double* values() { return values_.data(); }
  std::int64_t size() const { return std::ssize(values_); }
  void clear() { std::fill(values_.begin(), values_.end(), 0.0); }
  void read(Tensor& source, std::int64_t n, std::int64_t y, std::int64_t x, std::int64_t channel) {
    clear();
    each_pixel(source, n, y, x, channel,
               [this](double* held, double* of_image) { std::copy_n(of_image, p_.weights.channels, held); });
  }
  void add_to(Tensor& source, std::int64_t n, std::int64_t y, std::int64_t x, std::int64_t channel) {
    each_pixel(source, n, y, x, channel, [this](const double* held, double* of_image) {
      for (std::int64_t c = 0; c < p_.weights.channels; ++c) of_image[c] += held[c];
    });
  }

 private:
  template <typename Visit>
  void each_pixel(Tensor& source, std::int64_t n, std::int64_t y, std::int64_t x, std::int64_t channel,
                  const Visit& visit) {
    double* held = values_.data();
    for (std::int64_t r = 0; r < p_.weights.rows; ++r)
      for (std::int64_t s = 0; s < p_.weights.columns; ++s, held += p_.weights.channels) {
        const std::int64_t h = y * p_.stride_h - p_.pad_h + r * p_.dilation;
        const std::int64_t w = x * p_.stride_w - p_.pad_w + s * p_.dilation;
        if (h >= 0 && h < p_.source.rows && w >= 0 && w < p_.source.columns)
          visit(held, source.at(n, channel, h, w));
      }
  }

  const ConvolutionProblem& p_;
  std::vector<double> values_;
};

/// Calls visit(patch of the source, weights of a group's filters, their values of the result) for all
/// products of a convolution.
template <typename Visit>
void each_patch(const ConvolutionProblem& p, Tensor& source, Tensor& weights, Tensor& result,
                const Visit& visit) {
  const std::int64_t groups = p.source.channels / p.weights.channels;
  const std::int64_t filters = p.result.channels / groups;
  const auto count = static_cast<std::size_t>(filters);
  Patch patch(p);
  for (std::int64_t n = 0; n < p.result.outer; ++n)
    for (std::int64_t y = 0; y < p.result.rows; ++y)
      for (std::int64_t x = 0; x < p.result.columns; ++x)
        for (std::int64_t group = 0; group < groups; ++group) {
          const std::int64_t channel = group * p.weights.channels;
          const bool writes = p.pass == Pass::backward_data;
          writes ? patch.clear() : patch.read(source, n, y, x, channel);
          visit(patch, weights.at(group * filters, 0, 0, 0),
                std::span(result.at(n, group * filters, y, x), count));
          if (writes) patch.add_to(source, n, y, x, channel);
        }
}

void compute(const ConvolutionProblem& p, const ConvolutionMemory& at) {
  Tensor first = Tensor::loaded(p.first(), p, at.first);
  Tensor second = Tensor::loaded(p.second(), p, at.second);
  Tensor output(p.output());
  switch (p.pass) {
    case Pass::forward:
      each_patch(p, first, second, output,
                 [](Patch& patch, const double* weights, std::span<double> results) {
                   emulated::sums_of_products(weights, std::ssize(results), patch.values(), patch.size(),
                                              results.data());
                 });
      break;
    case Pass::backward_data:
      each_patch(p, output, second, first,
                 [](Patch& patch, const double* weights, std::span<double> results) {
                   emulated::add_combination(weights, std::ssize(results), results.data(), patch.size(),
                                             patch.values());
                 });
      break;
    case Pass::backward_weights:
      each_patch(p, first, output, second, [](Patch& patch, double* weights, std::span<double> results) {
        for (const double result : results) {
          emulated::add_scaled(patch.values(), result, weights, patch.size());
          weights += patch.size();
        }
      });
      break;
  }
  if (p.bias_and_relu) output.add_bias_and_relu(p, at.bias);
  output.store(p, at.output);
}

/// The library's answers for its plans, in its order of preference.
enum class Answer { cannot_be_built, workspace_too_large, refuses, runs };
constexpr std::array answers{Answer::cannot_be_built, Answer::workspace_too_large, Answer::refuses,
                             Answer::runs, Answer::runs};

class EmulatedPlans final : public ConvolutionPlans {
 public:
  explicit EmulatedPlans(const ConvolutionProblem& problem) : problem_(problem) {}

  std::int64_t count() override { return std::ssize(answers); }
  std::string build(std::int64_t plan) override {
    return answer(plan) == Answer::cannot_be_built ? "CUDNN_STATUS_NOT_SUPPORTED_SHAPE" : "";
  }
  std::string name(std::int64_t plan) override { return "emulated plan " + std::to_string(plan); }
  std::int64_t workspace_bytes(std::int64_t plan) override {
    return answer(plan) == Answer::workspace_too_large ? std::int64_t{1} << 40U : 1024 * plan;
  }
  void use(const ConvolutionMemory& memory) override { memory_ = memory; }

  /// A library has its own CUDA runtime: the backend sees only this error.
  std::string enqueue(std::int64_t plan, void* workspace, cudaStream_t stream) override {
    if (answer(plan) == Answer::refuses) return "CUDNN_STATUS_NOT_SUPPORTED_LAYOUT";
    if (emulated::is_lost()) return "CUDNN_STATUS_EXECUTION_FAILED_CUDART";
    if (!loaded_ && !emulated::loads_kernel("a convolution's"))
      return "CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED";
    loaded_ = true;
    will_touch(problem_.first(), memory_.first, stream);
    will_touch(problem_.second(), memory_.second, stream);
    will_touch(problem_.output(), memory_.output, stream);
    emulated::will_touch(stream, workspace, static_cast<std::size_t>(workspace_bytes(plan)),
                         "a convolution's workspace");
    emulated::enqueue(stream, [p = problem_, now = memory_] { compute(p, now); });
    return "";
  }

 private:
  static Answer answer(std::int64_t plan) { return answers.at(static_cast<std::size_t>(plan)); }

  void will_touch(const Shape& shape, const void* memory, cudaStream_t stream) const {
    const std::size_t bytes = emulated::bytes_of(type_of(problem_.dtype));
    emulated::will_touch(stream, memory, static_cast<std::size_t>(shape.elements()) * bytes, "a convolution");
  }

  ConvolutionProblem problem_;
  ConvolutionMemory memory_;
  bool loaded_ = false;
};

}  // namespace

std::string usable_cudnn_version() {
  return "";
}

void DestroyCudnn::operator()(cudnnHandle_t handle) const {
  delete handle;
}

CudnnHandle make_handle() {
  return CudnnHandle(new cudnnContext);
}

std::unique_ptr<ConvolutionPlans> make_convolution_plans(const ConvolutionProblem& problem, cudnnHandle_t) {
  return std::make_unique<EmulatedPlans>(problem);
}

}  // namespace breakeven::cuda
