// A workload defines what is computed, in one place. Each is registered where it is defined, and everything
// else (configs, their schema, list, reports, workers) finds it here.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/evidence.h"
#include "workloads/interface.h"
#include "workloads/parameters.h"

namespace breakeven {

class Workload;

/// One problem: an operation and all of its parameters, without the backend or device.
struct Case {
  const Workload* workload = nullptr;
  Parameters parameters;  // every parameter of the workload, in its order

  Dtype dtype() const { return parameters.dtype(); }
  /// The number of operations of one iteration, which may be more than one run (workloads/transfer.h).
  double flop() const;
  double bytes() const;
  std::int64_t samples() const;
  /// The id, which is stable across machines and versions: the operation, each parameter that is not at its
  /// default value, and the dtype, such as `matmul/m=64/n=64/k=64/f32`.
  std::string id() const;
};

/// An impossible combination of parameters. The message names the parameter at fault.
class InvalidCase : public std::invalid_argument {
 public:
  InvalidCase(std::string parameter, const std::string& message)
      : std::invalid_argument(message), parameter_(std::move(parameter)) {}
  const std::string& parameter() const { return parameter_; }

 private:
  std::string parameter_;
};

class Workload : public Interface {
 public:
  virtual std::string_view op() const = 0;
  virtual std::string_view meaning() const = 0;
  /// The name of several cases in a sentence: "matrix products".
  virtual std::string_view plural() const { return "problems"; }
  /// The activity of a case, for the beginning of a sentence: "Training the MLP". Throws std::out_of_range if
  /// a parameter is missing.
  virtual std::string activity(const Parameters& parameters) const;
  /// The parameters in the order in which ids and reports name them; `dtype` is the last.
  virtual const std::vector<Parameter>& parameters() const = 0;
  /// The title of a case in a report that already names the operation. By default, the parameters that are
  /// not at their default value as name=value, then the dtype. Throws std::out_of_range if a parameter is
  /// missing.
  virtual std::string title(const Parameters& parameters) const;
  /// Replaces equivalent parameters by one form, so that one problem has one id.
  virtual void normalise(Parameters&) const {}
  /// Throws InvalidCase if parameters are valid individually but not together.
  virtual void check(const Parameters&) const {}

  /// Small cases without a dtype that cover special situations (tails, transposes, strides). Conformance
  /// tests backends with them.
  virtual std::vector<Parameters> examples() const = 0;

  /// The number of floating-point (or integer) operations of one run; a multiply-add counts as two.
  virtual double flop(const Parameters& parameters) const = 0;
  /// The least number of bytes that one run must move: each operand read once, each result written once.
  virtual double bytes(const Parameters& parameters) const = 0;
  /// The least that any algorithm needs, for detecting results that are too fast. It is less than flop() and
  /// bytes() if those count the usual algorithm.
  struct Least {
    double flop = 0, bytes = 0;
  };
  virtual Least least(const Parameters& parameters) const {
    return {.flop = flop(parameters), .bytes = bytes(parameters)};
  }
  /// Parameters whose given value stands for another one, each with that one: a learning rate of 0 is the
  /// optimiser's own.
  virtual Parameters resolved(const Parameters&) const { return {}; }
  /// The bytes that a backend must hold at once to run this case. By default, bytes().
  virtual double memory(const Parameters& parameters) const { return bytes(parameters); }
  /// The number of samples (images) that one run processes; 0 if that has no meaning.
  virtual std::int64_t samples(const Parameters&) const { return 0; }
  /// False for a question to a device whose answer is a number instead of a time. It has no iterations, and
  /// nothing to verify.
  virtual bool is_timed() const { return true; }
  /// True if it only moves data between ranks: `bytes` bytes of it, which take bytes() of bus bandwidth.
  virtual bool is_collective() const { return false; }
  /// True if users need the latency of each single iteration, in addition to throughput.
  virtual bool measures_latency() const { return false; }

  /// The shape of the result that elements_to_check and projections refer to.
  virtual OutputShape output(const Parameters& parameters) const = 0;
  /// The reference result, in float64 or better, at the flat indices `elements`. A workload whose result only
  /// the reference backend can compute (Operation::expect) throws std::logic_error.
  virtual Evidence expect(const Parameters& parameters, std::uint64_t seed,
                          const std::vector<std::int64_t>& elements) const;
  virtual Tolerance tolerance(const Parameters& parameters, const Evidence& truth) const = 0;
};

/// Every workload of this build, by operation name.
const std::vector<std::unique_ptr<Workload>>& workloads();
const Workload* find_workload(std::string_view op);

/// Registers a workload next to its definition: `const WorkloadRegistration<Matmul> matmul_registered;`
void register_workload(std::unique_ptr<Workload> workload);
template <typename T>
struct WorkloadRegistration {
  WorkloadRegistration() { register_workload(std::make_unique<T>()); }
};

/// Makes a case from `given` and default values, in the workload's order, and checks it. Throws InvalidCase
/// for a parameter that is missing, unknown or impossible.
Case make_case(const Workload& workload, const Parameters& given);

}  // namespace breakeven
