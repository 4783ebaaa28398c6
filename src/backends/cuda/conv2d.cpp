// Convolutions of any size by cuDNN.
#include "workloads/conv2d.h"

#include <fmt/format.h>

#include <optional>

#include "backends/cuda/convolutions.h"
#include "backends/cuda/device.h"
#include "backends/cuda/work.h"
#include "worker/backend.h"
#include "workloads/host_tensors.h"
#include "workloads/layout.h"

namespace breakeven::cuda {
namespace {

ConvolutionProblem problem_of(const Conv2d& p) {
  return {.pass = p.pass,
          .dtype = p.dtype,
          .source = {p.n, p.c, p.h, p.w},
          .weights = {p.k, p.c / p.groups, p.r, p.s},
          .result = {p.n, p.k, p.p(), p.q()},
          .pad_h = p.pad_h,
          .pad_w = p.pad_w,
          .stride_h = p.stride_h,
          .stride_w = p.stride_w,
          .dilation = p.dilation};
}

class SingleLayer final : public Work {
 public:
  SingleLayer(const Conv2d& problem, std::uint64_t seed)
      : p_(problem_of(problem)),
        tensors_(HostTensors::of(problem, seed)),
        handle_(make_handle(stream().get())) {
    upload();
    convolution_.emplace(
        p_,
        ConvolutionOperands{
            .first = first_memory_.data(), .second = second_memory_.data(), .output = output_memory_.data()},
        handle_.get(), stopwatch(), most_plans);
  }

  void run() override { convolution_->enqueue(); }

  Evidence show(const std::vector<std::int64_t>& elements) override {
    tensors_.poison();
    output_memory_.upload(tensors_.output.data());
    run();
    wait();
    Buffer<std::byte> held(tensors_.output.size());
    output_memory_.download(held.data());
    // Back from channels last.
    const Shape& shape = p_.output();
    transpose_matrices(held.data(), shape.outer, shape.rows * shape.columns, shape.channels, element_bytes(),
                       tensors_.output.data());
    return tensors_.evidence(elements);
  }

  std::string algorithm() const override { return convolution_->algorithm(); }

 private:
  std::size_t element_bytes() const { return facts(p_.dtype).bytes; }

  Memory channels_last(const Buffer<std::byte>& plain, const Shape& shape) const {
    Buffer<std::byte> turned(plain.size());
    transpose_matrices(plain.data(), shape.outer, shape.channels, shape.rows * shape.columns, element_bytes(),
                       turned.data());
    return Memory::of(turned.data(), turned.size());
  }

  void upload() {
    first_memory_ = channels_last(tensors_.first, p_.first());
    second_memory_ = channels_last(tensors_.second, p_.second());
    tensors_.first = {};
    tensors_.second = {};
    output_memory_ = Memory(tensors_.output.size());
  }

  static constexpr int most_plans = 12;  // some take a second each to compile

  ConvolutionProblem p_;
  HostTensors tensors_;
  CudnnHandle handle_;
  Memory first_memory_, second_memory_, output_memory_;
  std::optional<Convolution> convolution_;
};

const OperationRegistration registered({.op = "conv2d",
                                        .dtypes = layer_dtypes,
                                        .prepare = [](const Case& problem,
                                                      std::uint64_t seed) -> std::unique_ptr<Prepared> {
                                          return std::make_unique<SingleLayer>(Conv2d(problem.parameters),
                                                                               seed);
                                        },
                                        .why_not = why_no_layers_in});

}  // namespace
}  // namespace breakeven::cuda
