// Convolutions of any size, with cuDNN.
#include "workloads/conv2d.h"

#include <fmt/format.h>

#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backends/cuda/convolutions.h"
#include "backends/cuda/device.h"
#include "backends/cuda/race.h"
#include "backends/cuda/recording.h"
#include "backends/cuda/work.h"
#include "worker/backend.h"
#include "workloads/host_tensors.h"
#include "workloads/layout.h"

namespace breakeven::cuda {
namespace {

/// A convolution with its operands in one layout.
class PlacedConvolution {
 public:
  /// `tensors` are in the workload's layout, NCHW.
  PlacedConvolution(const ConvolutionProblem& problem, const HostTensors& tensors, bool moves,
                    std::int64_t sets, cudnnHandle_t handle, Stopwatch& stopwatch, int most_plans)
      : p_(problem),
        first_(in_layout(tensors.first, p_.first(), moves, sets)),
        second_(in_layout(tensors.second, p_.second(), moves, sets)),
        output_(tensors.output.size(), moves, sets),
        convolution_(
            p_, ConvolutionMemory{.first = first_.data(), .second = second_.data(), .output = output_.data()},
            handle, stopwatch, most_plans,
            {.sets = sets,
             .first_step = first_.step(),
             .second_step = second_.step(),
             .output_step = output_.step()}) {}

  Moved& first() { return first_; }
  Moved& second() { return second_; }
  Moved& output() { return output_; }
  Convolution& convolution() { return convolution_; }
  TensorLayout layout() const { return p_.layout; }

  /// Copies the result to `result`, in the workload's layout.
  void show(Buffer<std::byte>& result) const {
    if (p_.layout == TensorLayout::nchw) return output_.show(result);
    Buffer<std::byte> held(result.size());
    output_.show(held);
    const Shape& shape = p_.output();
    transpose_matrices(held.data(), shape.outer, shape.rows * shape.columns, shape.channels,
                       facts(p_.dtype).bytes(), result.data());
  }

 private:
  Moved in_layout(const Buffer<std::byte>& plain, const Shape& shape, bool moves, std::int64_t sets) const {
    if (p_.layout == TensorLayout::nchw) return {plain, moves, sets};
    Buffer<std::byte> turned(plain.size());
    transpose_matrices(plain.data(), shape.outer, shape.channels, shape.rows * shape.columns,
                       facts(p_.dtype).bytes(), turned.data());
    return {turned, moves, sets};
  }

  ConvolutionProblem p_;
  Moved first_, second_, output_;
  Convolution convolution_;
};

class SingleLayer final : public TensorWork {
 public:
  SingleLayer(const Case& problem, std::uint64_t seed)
      : TensorWork(problem, host_tensors<Conv2d>(problem, seed, 2)),  // one in another layout
        p_(ConvolutionProblem::of(Conv2d(problem.parameters))),
        plans_(problem.parameters.boolean("tuned") ? most_plans : 1),
        handle_(make_handle()) {
    place();
    name_arrays({&placed_->first(), &placed_->second()}, placed_->output());
    tensors_.first = {};
    tensors_.second = {};
    if (plans_ > 1) recorded_ = RecordedCalls(stream(), sets_, [this] { enqueue(*placed_); });
  }

  void run() override {
    if (recorded_.empty()) return enqueue(*placed_);
    recorded_.launch(stream());
  }

  std::string algorithm() const override {
    return placed_->convolution().algorithm() + other_layout_ +
           (recorded_.empty() ? "" : "; as a CUDA graph") + how_moved();
  }

 private:
  void copy_result(Buffer<std::byte>& to) override { placed_->show(to); }

  /// Layouts to race. Kernels for f32 without tensor cores read NCHW; given NHWC, they transpose both tensors
  /// first. Users of PyTorch have both layouts, too.
  std::vector<TensorLayout> layouts() const {
    if (plans_ > 1 && facts(p_.dtype).bytes() >= sizeof(float))
      return {TensorLayout::nhwc, TensorLayout::nchw};
    return {TensorLayout::nhwc};
  }

  void enqueue(PlacedConvolution& placed) { placed.convolution().enqueue(stream()); }

  /// Races the layouts. A layout is left out if it is not supported, or if memory is too small for both.
  void place() {
    std::vector<std::unique_ptr<PlacedConvolution>> placed;
    std::exception_ptr why_not;
    for (const TensorLayout layout : layouts()) {
      ConvolutionProblem problem = p_;
      problem.layout = layout;
      try {
        placed.push_back(std::make_unique<PlacedConvolution>(problem, tensors_, moves(), sets_, handle_.get(),
                                                             stopwatch(), plans_));
      } catch (const Unsupported&) {
        if (!why_not) why_not = std::current_exception();
      } catch (const OutOfMemory&) {
        if (!why_not) why_not = std::current_exception();
      }
    }
    if (placed.empty()) std::rethrow_exception(why_not);
    std::vector<std::function<void()>> ways;
    ways.reserve(placed.size());
    for (const auto& one : placed) ways.emplace_back([&] { enqueue(*one); });
    const RaceResult raced = race(stopwatch(), ways);
    if (placed.size() > 1) {
      const auto& lost = placed[1 - raced.fastest];
      other_layout_ = fmt::format(", {} took {:.2f}x", name(lost->layout()), raced.took[1 - raced.fastest]);
    }
    placed_ = std::move(placed[raced.fastest]);
  }

  static constexpr int most_plans = 12;  // all of them are built within 2 ms

  ConvolutionProblem p_;
  int plans_;  // number of plans to try in each layout
  CudnnHandle handle_;
  std::unique_ptr<PlacedConvolution> placed_;
  std::string other_layout_;  // the time of the slower layout, for algorithm()
  RecordedCalls recorded_;    // cuDNN's front end describes the operands anew in each call
};

const OperationRegistration conv2d_registered({.op = "conv2d",
                                               .dtypes = layer_dtypes,
                                               .prepare = prepare_as<SingleLayer>,
                                               .why_not = why_no_layers_in});

}  // namespace
}  // namespace breakeven::cuda
