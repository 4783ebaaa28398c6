// Convolutions in place of cuDNN's: the sums themselves, in double precision, of what lies where the CUDA
// backend says.
#include "backends/cuda/convolutions.h"

#include <algorithm>
#include <numeric>
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

/// A tensor of four axes, in doubles.
class Tensor {
 public:
  explicit Tensor(const Shape& shape)
      : strides_(shape.strides()), values_(static_cast<std::size_t>(shape.elements())) {}
  static Tensor loaded(const Shape& shape, Dtype dtype, const void* memory) {
    Tensor tensor(shape);
    for (std::size_t i = 0; i < tensor.values_.size(); ++i) {
      const double value = emulated::load(type_of(dtype), memory, static_cast<std::int64_t>(i));
      tensor.values_[i] = dtype == Dtype::tf32 ? emulated::rounded_to_tf32(value) : value;
    }
    return tensor;
  }
  void store(Dtype dtype, void* memory) const {
    for (std::size_t i = 0; i < values_.size(); ++i)
      emulated::store(type_of(dtype), memory, static_cast<std::int64_t>(i), values_[i]);
  }
  /// Channels lie side by side from here on.
  double* at(std::int64_t outer, std::int64_t channel, std::int64_t row, std::int64_t column) {
    return &values_[static_cast<std::size_t>(outer * strides_[0] + channel * strides_[1] + row * strides_[2] +
                                             column * strides_[3])];
  }

 private:
  std::vector<std::int64_t> strides_;
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

void compute(const ConvolutionProblem& p, const ConvolutionOperands& at) {
  Tensor first = Tensor::loaded(p.first(), p.dtype, at.first);
  Tensor second = Tensor::loaded(p.second(), p.dtype, at.second);
  Tensor output(p.output());
  const std::int64_t channels = p.weights.channels;
  const auto add_scaled = [channels](const double* from, double factor, double* to) {
    for (std::int64_t c = 0; c < channels; ++c) to[c] += factor * from[c];
  };
  switch (p.pass) {
    case Pass::forward:
      each_sum(p, first, second, output, [=](const double* source, const double* weights, double* result) {
        *result += std::transform_reduce(source, source + channels, weights, 0.0);
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
  output.store(p.dtype, at.output);
}

void* moved(void* memory, std::int64_t bytes) {
  return static_cast<std::byte*>(memory) + bytes;
}

}  // namespace

void DestroyCudnn::operator()(cudnnHandle_t handle) const {
  delete handle;
}

CudnnHandle make_handle(cudaStream_t) {
  return CudnnHandle(new cudnnContext);
}

class Convolution::Plans {
 public:
  Plans(const ConvolutionProblem& problem, const ConvolutionOperands& operands, cudaStream_t stream)
      : problem_(problem), operands_(operands), stream_(stream) {}

  void enqueue() {
    Turns& turns = operands_.turns;
    turns.next();
    ConvolutionOperands now = operands_;
    now.first = moved(operands_.first, turns.set * turns.first_step);
    now.second = moved(operands_.second, turns.set * turns.second_step);
    now.output = moved(operands_.output, turns.set * turns.output_step);
    if (!std::exchange(loaded_, true)) emulated::loads_kernel("a convolution's");
    will_touch(problem_.first(), now.first);
    will_touch(problem_.second(), now.second);
    will_touch(problem_.output(), now.output);
    emulated::enqueue(stream_, [p = problem_, now] { compute(p, now); });
  }

 private:
  void will_touch(const Shape& shape, const void* memory) const {
    const std::size_t bytes = emulated::bytes_of(type_of(problem_.dtype));
    emulated::will_touch(stream_, memory, static_cast<std::size_t>(shape.elements()) * bytes,
                         "a convolution");
  }

  ConvolutionProblem problem_;
  ConvolutionOperands operands_;
  cudaStream_t stream_;
  bool loaded_ = false;
};

Convolution::Convolution(const ConvolutionProblem& problem, const ConvolutionOperands& operands,
                         cudnnHandle_t, Stopwatch& stopwatch, int)
    : plans_(std::make_unique<Plans>(problem, operands, stopwatch.stream())), algorithm_("emulated") {
  stopwatch.quick_seconds([this] { enqueue(); });
}

Convolution::~Convolution() = default;

void Convolution::enqueue() {
  plans_->enqueue();
}

}  // namespace breakeven::cuda
