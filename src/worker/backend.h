// The interface of backend programs written in C++. The shared main() in worker/main.cpp handles the protocol
// and the timing. A backend supplies make_backend() and registers each of its operations where it is defined.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "protocol/messages.h"
#include "workloads/fit.h"
#include "workloads/interface.h"
#include "workloads/workload.h"

namespace breakeven {

/// Thrown by prepare if this backend cannot compute the case, with the reason. Not a failure.
class Unsupported : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Thrown by prepare if the case needs more memory than is available.
class OutOfMemory : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A prepared case: inputs are made, memory is allocated, library objects are created. No setup is left.
class Prepared : public Interface {
 public:
  /// With other ranks, called once all of them have prepared the case: chooses what ranks must choose alike.
  /// May communicate, as run() may.
  virtual void begin_with_ranks() {}
  /// Called before each sample, outside of the timed part. `runs` is the number of calls of run() that
  /// follow.
  virtual void prepare_runs(std::int64_t /*runs*/) {}
  /// Does the work once. On the host the result is in memory when this returns; on a device the work may only
  /// be enqueued. Only this, the transfers and wait() are timed.
  virtual void run() = 0;
  /// Does the work of `times` calls of run(). A backend with a short run() may do more of it inside one
  /// parallel region.
  virtual void run_many(std::int64_t times) {
    for (std::int64_t i = 0; i < times; ++i) run();
  }
  /// For a device with its own memory, if the case moves data (workloads/transfer.h): enqueues the copy of
  /// the inputs of run() from host to device memory, before the runs of an iteration.
  virtual void copy_inputs_to_device() {}
  /// Enqueues the copy of the result to host memory, after the runs. Returns false if there is no result for
  /// which the host waits, or if the device works in host memory.
  virtual bool copy_outputs_to_host() { return false; }
  /// Returns when the results of all calls of run() are in memory. Called once per sample, after the last of
  /// them.
  virtual void wait() {}
  /// Seconds of one iteration of `runs` runs by the device's own clock, without launch time: the mean of up
  /// to `iterations` more iterations. `enqueue` enqueues one. Empty if the device is the host, or if so many
  /// runs cannot be launched in advance.
  virtual std::optional<double> device_seconds(const std::function<void()>& /*enqueue*/,
                                               std::int64_t /*runs*/, std::int64_t /*iterations*/,
                                               bool /*cold*/) {
    return std::nullopt;
  }
  /// Removes the data that run() reads and writes from the device's caches. Returns false if it is in the
  /// host's caches, which the caller flushes. The first call allocates what the others need.
  virtual bool flush() { return false; }
  /// Poisons the result, runs one iteration (with rotating operands, one for each set), and returns the
  /// values at `elements` and the projections (workloads/evidence.h). Training starts from the initial
  /// weights, returns the first batch's logits and the losses of `first_steps` steps, and restores the
  /// initial weights.
  virtual Evidence show(const std::vector<std::int64_t>& elements) = 0;
  /// The algorithm that the library selected, as exactly as it reports it, and what is not counted; empty if
  /// it is unknown.
  virtual std::string algorithm() const = 0;
  /// Problems with the samples so far, each with its remedy, for the result's warnings.
  virtual std::vector<std::string> warnings() const { return {}; }
  /// The number of sets of operands and result that the runs use in turn; 1 if it is always the same set
  /// (workloads/rotation.h).
  virtual std::int64_t operand_sets() const { return 1; }
  /// Only for workloads that are not timed.
  virtual Fit fit() { throw Unsupported("this operation is timed"); }
  /// Training only: the losses of the steps run() has taken since the last call.
  virtual std::vector<double> take_losses() { return {}; }
  /// Training only: one epoch over the whole training set.
  virtual answer::Epoch train_epoch() { throw Unsupported("this operation has no epochs"); }
};

/// The number of training steps whose losses are compared with the reference before anything is timed.
inline constexpr int first_steps = 3;

/// One operation of a backend.
struct Operation {
  std::string op;
  std::function<std::vector<Dtype>()> dtypes;  // supported on this machine
  std::function<std::unique_ptr<Prepared>(const Case&, std::uint64_t seed)> prepare;
  std::function<std::string(Dtype)> why_not = {};  // (optional) why a dtype is not supported
  bool takes_ranks = false;  // several ranks can compute a case together (worker/communicator.h)
  /// (optional) The copies of a case's operands and result that are in memory at once, if they are several:
  /// algorithms that race have their own.
  std::function<int(const Case&)> copies = {};
  /// (optional, only for a reference backend) Computes the reference result instead of Workload::expect().
  std::function<Evidence(const Case&, std::uint64_t seed, const std::vector<std::int64_t>& elements)> expect =
      {};
};

/// The dtypes of an operation that has the same ones on every machine.
inline auto fixed_dtypes(const std::vector<Dtype>& dtypes) {
  return [dtypes] { return dtypes; };
}

/// Operation::prepare for a `Made` that is constructed from the case and the seed.
template <typename Made>
std::unique_ptr<Prepared> prepare_as(const Case& problem, std::uint64_t seed) {
  return std::make_unique<Made>(problem, seed);
}

/// Registers an operation next to its definition: `const OperationRegistration matmul_registered({...});`
struct OperationRegistration {
  explicit OperationRegistration(Operation operation);
};
const std::vector<Operation>& operations();

struct Backend {
  /// The backend's report of itself. serve() adds its version, its operations and what cannot be read, and
  /// leaves out library files that are empty.
  answer::Hello hello;
  std::function<void(int)> use_threads;                 // called when nothing is prepared
  std::function<std::int64_t()> available_memory = {};  // bytes, on the device; empty if it is the host's
  std::string variant = {};  // suffix of every row's algorithm, such as "library defaults"
  /// (optional, only for a reference backend) Returns the result of compute(), or the same one from a cache.
  std::function<Evidence(const request::Expect&, const std::function<Evidence()>& compute)> expect = {};
};

/// Defined once by each backend program.
Backend make_backend();

}  // namespace breakeven
