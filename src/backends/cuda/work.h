// The common part of all operations on the device: run() enqueues, wait() waits, and times are by the
// device's clock.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "backends/cuda/device.h"
#include "backends/cuda/moved.h"
#include "backends/cuda/stopwatch.h"
#include "worker/backend.h"
#include "workloads/host_tensors.h"
#include "workloads/transfer.h"

namespace breakeven::cuda {

/// Throws OutOfMemory before anything is allocated in host memory: a machine that overcommits would kill
/// processes, and pinning takes memory from everything else.
void check_host_memory(double bytes);

class Work : public Prepared {
 public:
  void wait() final { stream_.wait(); }
  /// Times iterations queued behind a closed gate with events, so that launching them is not included.
  std::optional<double> device_seconds(const std::function<void()>& enqueue, std::int64_t runs,
                                       std::int64_t iterations, bool cold) override;
  bool flush() override;
  std::vector<std::string> warnings() const final;

 protected:
  cudaStream_t stream() const { return stream_.get(); }
  /// Runs one iteration of a case that moves its data, or one run of any other case, and waits.
  void iterate();
  Stopwatch& stopwatch() { return stopwatch_; }
  /// The number of runs that may be queued at once.
  virtual std::int64_t most_queued() const { return Stopwatch::most_queued; }

 private:
  Stream stream_;
  Stopwatch stopwatch_{stream_};
  Memory flushed_;
};

/// A work whose inputs and result may be copied from and to host memory in each iteration.
class MovingWork : public Work {
 public:
  void copy_inputs_to_device() final {
    for (Moved* input : inputs_) input->copy_inputs_to_device(stream());
  }
  bool copy_outputs_to_host() final {
    result_->copy_outputs_to_host(stream());
    return true;
  }

 protected:
  explicit MovingWork(const Case& problem) : moves_(Transfer::of(problem.parameters).moves()) {}
  /// Tells which arrays to copy. To be called before the first iteration.
  void name_arrays(std::vector<Moved*> inputs, Moved& result) {
    inputs_ = std::move(inputs);
    result_ = &result;
  }
  bool moves() const { return moves_; }
  void forget_inputs_on_device() {
    for (Moved* input : inputs_) input->forget_on_device(stream());
  }
  /// Runs one iteration after poisoning the result and, if they move, forgetting the inputs.
  void iterate_afresh();
  Moved& result() { return *result_; }

 private:
  bool moves_;
  std::vector<Moved*> inputs_;
  Moved* result_ = nullptr;
};

/// The tensors of a product or convolution. The host's memory holds `copies` of them at once, and a pinned
/// one more if they move. Throws OutOfMemory.
template <typename Problem>
HostTensors host_tensors(const Case& problem, std::uint64_t seed, int copies) {
  if (Transfer::of(problem.parameters).moves()) ++copies;
  check_host_memory(copies * problem.workload->memory(problem.parameters));
  return HostTensors::of(Problem(problem.parameters), seed);
}

/// A work on tensors that the host makes, with one or several sets of operands.
class TensorWork : public MovingWork {
 public:
  Evidence show(const std::vector<std::int64_t>& elements) final;
  std::int64_t operand_sets() const final { return sets_; }

 protected:
  TensorWork(const Case& problem, HostTensors tensors);
  /// Copies the result to `to`, in the workload's layout.
  virtual void copy_result(Buffer<std::byte>& to) { result().show(to); }
  /// Tells of the copies, for algorithm().
  const char* how_moved() const { return moves() ? ", moved from and to pinned memory" : ""; }

  std::int64_t sets_;  // of operands, used in turn on this device; see worker/operand_sets.h
  HostTensors tensors_;
};

}  // namespace breakeven::cuda
