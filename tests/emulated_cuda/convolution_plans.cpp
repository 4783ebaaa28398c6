// Plans in place of cuDNN's: they compute a convolution in double precision, from what lies where the CUDA
// backend says. Some of them cannot be built, or ask for more memory than there is, or refuse when they are
// called.
#include "backends/cuda/convolution_plans.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

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

/// A tensor of four axes, in doubles, NHWC in whatever layout it is in memory.
class Tensor {
 public:
  explicit Tensor(const Shape& shape) : shape_(shape), values_(static_cast<std::size_t>(shape.elements())) {}
  static Tensor loaded(const Shape& shape, const ConvolutionProblem& p, const void* memory) {
    Tensor tensor(shape);
    tensor.each_element(p.layout, [&](std::int64_t at, double& held) {
      const double value = emulated::load(type_of(p.dtype), memory, at);
      held = p.dtype == Dtype::tf32 ? emulated::truncated_to_tf32(value) : value;
    });
    return tensor;
  }
  void store(const ConvolutionProblem& p, void* memory) {
    each_element(p.layout,
                 [&](std::int64_t at, double& held) { emulated::store(type_of(p.dtype), memory, at, held); });
  }
  /// The channels from this one on lie side by side.
  double* at(std::int64_t outer, std::int64_t channel, std::int64_t row, std::int64_t column) {
    const std::int64_t pixel = (outer * shape_.rows + row) * shape_.columns + column;
    return &values_[static_cast<std::size_t>(pixel * shape_.channels + channel)];
  }

 private:
  /// visit(place in memory of this layout, the value)
  template <typename Visit>
  void each_element(TensorLayout layout, const Visit& visit) {
    const std::vector<std::int64_t> in_memory = shape_.strides(layout);
    for (std::int64_t n = 0; n < shape_.outer; ++n)
      for (std::int64_t c = 0; c < shape_.channels; ++c)
        for (std::int64_t y = 0; y < shape_.rows; ++y)
          for (std::int64_t x = 0; x < shape_.columns; ++x)
            visit(n * in_memory[0] + c * in_memory[1] + y * in_memory[2] + x * in_memory[3], *at(n, c, y, x));
  }

  Shape shape_;
  std::vector<double> values_;
};

/// Calls visit(channels of the source, the weights of one filter, a value of the result), each where it
/// begins, for the sums of products over a group's channels that make up a convolution.
template <typename Visit>
void each_sum(const ConvolutionProblem& p, Tensor& source, Tensor& weights, Tensor& result,
              const Visit& visit) {
  const std::int64_t groups = p.source.channels / p.weights.channels;
  const std::int64_t filters_a_group = p.result.channels / groups;
  for (std::int64_t n = 0; n < p.result.outer; ++n)
    for (std::int64_t y = 0; y < p.result.rows; ++y)
      for (std::int64_t x = 0; x < p.result.columns; ++x)
        for (std::int64_t r = 0; r < p.weights.rows; ++r)
          for (std::int64_t s = 0; s < p.weights.columns; ++s) {
            const std::int64_t h = y * p.stride_h - p.pad_h + r * p.dilation;
            const std::int64_t w = x * p.stride_w - p.pad_w + s * p.dilation;
            if (h < 0 || h >= p.source.rows || w < 0 || w >= p.source.columns) continue;
            for (std::int64_t k = 0; k < p.result.channels; ++k) {
              const std::int64_t first_channel = k / filters_a_group * p.weights.channels;
              visit(source.at(n, first_channel, h, w), weights.at(k, 0, r, s), result.at(n, k, y, x));
            }
          }
}

void add_bias_and_relu(const ConvolutionProblem& p, const void* bias, Tensor& output) {
  for (std::int64_t n = 0; n < p.result.outer; ++n)
    for (std::int64_t y = 0; y < p.result.rows; ++y)
      for (std::int64_t x = 0; x < p.result.columns; ++x)
        for (std::int64_t k = 0; k < p.result.channels; ++k) {
          double& value = *output.at(n, k, y, x);
          value = std::max(0.0, value + emulated::load(type_of(p.dtype), bias, k));
        }
}

void compute(const ConvolutionProblem& p, const ConvolutionMemory& at) {
  Tensor first = Tensor::loaded(p.first(), p, at.first);
  Tensor second = Tensor::loaded(p.second(), p, at.second);
  Tensor output(p.output());
  const std::int64_t channels = p.weights.channels;
  const auto add_scaled = [channels](const double* from, double factor, double* to) {
    for (std::int64_t c = 0; c < channels; ++c) to[c] += factor * from[c];
  };
  switch (p.pass) {
    case Pass::forward:
      each_sum(p, first, second, output, [=](const double* source, const double* weights, double* result) {
        *result += emulated::sum_of_products(source, weights, channels);
      });
      break;
    case Pass::backward_data:
      each_sum(p, output, second, first, [=](double* source, const double* weights, const double* result) {
        add_scaled(weights, *result, source);
      });
      break;
    case Pass::backward_weights:
      each_sum(p, first, output, second, [=](const double* source, double* weights, const double* result) {
        add_scaled(source, *result, weights);
      });
      break;
  }
  if (p.bias_and_relu) add_bias_and_relu(p, at.bias, output);
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

  /// A library has a runtime of its own: the backend sees no error but this one.
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
