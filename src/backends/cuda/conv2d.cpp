// Convolutions of any size by cuDNN.
#include "workloads/conv2d.h"

#include <fmt/format.h>

#include <optional>

#include "backends/cuda/convolutions.h"
#include "backends/cuda/device.h"
#include "backends/cuda/moved.h"
#include "backends/cuda/work.h"
#include "worker/backend.h"
#include "workloads/host_tensors.h"
#include "workloads/layout.h"
#include "workloads/transfer.h"

namespace breakeven::cuda {
namespace {

class SingleLayer final : public Work {
 public:
  SingleLayer(const Case& problem, std::uint64_t seed)
      : p_(ConvolutionProblem::of(Conv2d(problem.parameters))),
        moves_(Transfer::of(problem.parameters).moves()),
        sets_(sets_of(problem)),
        tensors_(HostTensors::of(Conv2d(problem.parameters), seed)),
        handle_(make_handle(stream().get())),
        first_(channels_last(tensors_.first, p_.first())),
        second_(channels_last(tensors_.second, p_.second())),
        output_(tensors_.output.size(), moves_, sets_) {
    tensors_.first = {};
    tensors_.second = {};
    convolution_.emplace(p_,
                         ConvolutionOperands{.first = first_.data(),
                                             .second = second_.data(),
                                             .output = output_.data(),
                                             .turns = {.sets = sets_,
                                                       .first_step = first_.step(),
                                                       .second_step = second_.step(),
                                                       .output_step = output_.step()}},
                         handle_.get(), stopwatch(), problem.parameters.boolean("tuned") ? most_plans : 1);
  }

  void bring() override {
    first_.bring(stream().get());
    second_.bring(stream().get());
  }

  void run() override { convolution_->enqueue(); }

  bool fetch() override {
    output_.fetch(stream().get());
    return true;
  }

  Evidence show(const std::vector<std::int64_t>& elements) override {
    tensors_.poison();
    output_.fill(tensors_.output);
    first_.forget_on_device(stream().get());
    second_.forget_on_device(stream().get());
    for (std::int64_t set = 0; set < sets_; ++set) iterate();
    Buffer<std::byte> held(tensors_.output.size());
    output_.show(held);
    // Back from channels last.
    const Shape& shape = p_.output();
    transpose_matrices(held.data(), shape.outer, shape.rows * shape.columns, shape.channels, element_bytes(),
                       tensors_.output.data());
    return tensors_.evidence(elements);
  }

  std::string algorithm() const override {
    return convolution_->algorithm() + (moves_ ? ", moved from and to pinned memory" : "");
  }
  std::int64_t operand_sets() const override { return sets_; }

 private:
  std::size_t element_bytes() const { return facts(p_.dtype).bytes; }

  Moved channels_last(const Buffer<std::byte>& plain, const Shape& shape) const {
    Buffer<std::byte> turned(plain.size());
    transpose_matrices(plain.data(), shape.outer, shape.channels, shape.rows * shape.columns, element_bytes(),
                       turned.data());
    return {turned, moves_, sets_};
  }

  static constexpr int most_plans = 12;  // some take a second each to compile

  ConvolutionProblem p_;
  bool moves_;
  std::int64_t sets_;
  HostTensors tensors_;
  CudnnHandle handle_;
  Moved first_, second_, output_;
  std::optional<Convolution> convolution_;
};

const OperationRegistration registered({.op = "conv2d",
                                        .dtypes = layer_dtypes,
                                        .prepare = [](const Case& problem,
                                                      std::uint64_t seed) -> std::unique_ptr<Prepared> {
                                          return std::make_unique<SingleLayer>(problem, seed);
                                        },
                                        .why_not = why_no_layers_in});

}  // namespace
}  // namespace breakeven::cuda
