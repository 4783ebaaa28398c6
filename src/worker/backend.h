// What a backend program written in C++ is made of. The shared main() in worker/main.cpp answers the protocol
// and times; a backend supplies one make_backend() and registers the operations it has, each where it is
// defined.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "worker/fitting.h"
#include "workloads/interface.h"
#include "workloads/workload.h"

namespace breakeven {

/// Thrown by prepare: this backend cannot do the case, and why. Not a failure.
class Unsupported : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Thrown by prepare: the case needs more memory than there is.
class OutOfMemory : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One epoch of training, timed as a whole.
struct Epoch {
  double seconds = 0;          // of its training steps alone
  std::vector<double> losses;  // of every step, before its update
  double accuracy = 0;         // on the test set, after the epoch
  double evaluation_seconds = 0;
};

/// A prepared case: inputs made, memory allocated, library objects created. Nothing is left to set up.
class Prepared : public Interface {
 public:
  /// Called before each sample, where nothing is timed: run() is called `runs` times next.
  virtual void prepare_runs(std::int64_t /*runs*/) {}
  /// Does the work once. On the host its result is in memory when this returns; on a device it may only be
  /// enqueued. This and wait(), and nothing else, is timed.
  virtual void run() = 0;
  /// The work of that many calls of run(). A backend whose run() is short may do more of it inside one
  /// parallel region.
  virtual void run_many(std::int64_t times) {
    for (std::int64_t i = 0; i < times; ++i) run();
  }
  /// Of a device with memory of its own, where the case moves data (workloads/transfer.h): enqueues the way
  /// of what run() reads from the host's memory to the device's, before the runs of an iteration.
  virtual void bring() {}
  /// And the way of the result back, after them. False where nothing comes back that the host waits for, and
  /// where the device works in the host's memory.
  virtual bool fetch() { return false; }
  /// Returns when the results of all calls of run() are in memory. Called once a sample, after the last of
  /// them.
  virtual void wait() {}
  /// Seconds of one iteration of `runs` runs by the device's own clock, without the time to launch it: the
  /// mean of up to `iterations` more of them. `enqueue` enqueues one. Null where the device is the host, and
  /// where so many runs cannot be launched beforehand.
  virtual std::optional<double> device_seconds(const std::function<void()>& /*enqueue*/,
                                               std::int64_t /*runs*/, std::int64_t /*iterations*/,
                                               bool /*cold*/) {
    return std::nullopt;
  }
  /// Puts what run() reads and writes out of the device's caches; false where they are the host's, which the
  /// caller flushes.
  virtual bool flush() { return false; }
  /// Poisons the result, runs one iteration (where operands rotate, one for each set), and shows the values
  /// at `elements` and the projections (workloads/evidence.h). Training starts from the initial weights,
  /// shows the first batch's logits and the losses of `first_steps` steps, and goes back to the initial
  /// weights.
  virtual Evidence show(const std::vector<std::int64_t>& elements) = 0;
  /// What the library chose, as exactly as it says, and what is not counted; empty if it does not say.
  virtual std::string algorithm() const = 0;
  /// Faults of the samples taken so far, each with its remedy, for the result's warnings.
  virtual std::vector<std::string> warnings() const { return {}; }
  /// How many sets of operands and result the runs take in turn; 1: always the same (workloads/rotation.h).
  virtual std::int64_t operand_sets() const { return 1; }
  /// For workloads that are not timed only.
  virtual Fit fit() { throw Unsupported("this operation is timed"); }
  /// Training only: the losses of the steps run() has taken since the last call.
  virtual std::vector<double> take_losses() { return {}; }
  /// Training only: one epoch over the whole training set.
  virtual Epoch train_epoch() { throw Unsupported("this operation has no epochs"); }
};

/// Steps of training whose losses are compared with the reference before anything is timed.
inline constexpr int first_steps = 3;

/// One operation of a backend.
struct Operation {
  std::string op;
  std::function<std::vector<Dtype>()> dtypes;  // on this machine
  std::function<std::unique_ptr<Prepared>(const Case&, std::uint64_t seed)> prepare;
  std::function<std::string(Dtype)> why_not = {};  // (optional) the reason, where a dtype is not among them
  /// (optional, of the reference backend) The reference result, in place of Workload::expect().
  std::function<Evidence(const Case&, std::uint64_t seed, const std::vector<std::int64_t>& elements)> expect =
      {};
};

/// `const OperationRegistration matmul_registered({...});` beside the definition.
struct OperationRegistration {
  explicit OperationRegistration(Operation operation);
};
const std::vector<Operation>& operations();

/// `const StartRegistration registered(function);` registers what the program does before it reads its first
/// request. The function may start the program again with another environment.
struct StartRegistration {
  explicit StartRegistration(std::function<void()> function);
};

struct Backend {
  std::string name;
  std::string role = "contender";  // or "arbiter": knows the truth, and is measured only where it is named
  std::string device = "cpu";      // or "gpu"
  std::string device_name;         // as the machine calls it
  std::vector<std::pair<std::string, std::string>> libraries;  // name, version
  std::vector<std::pair<std::string, std::string>> library_files =
      {};                                               // name, file; of empty ones nothing is said
  std::function<void(int)> use_threads;                 // called once, before anything is prepared
  std::function<std::int64_t()> available_memory = {};  // bytes, on the device; empty: the host's
  std::string device_id = {};  // which GPU: its UUID, as the driver's tools show it; empty: cannot be said
  std::vector<std::string> warnings = {};  // what makes it slower here than it could be, with the remedy
  std::vector<std::string> notes = {};     // what else a reader of its results should know
  std::string variant = {};                // what every row's algorithm ends with, such as "library defaults"
};

/// Defined once by each backend program.
Backend make_backend();

}  // namespace breakeven
