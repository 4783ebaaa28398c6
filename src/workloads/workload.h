// A workload: what is computed, stated once. Each is registered where it is defined, and everything else
// (configs, their schema, list, reports, workers) finds it here.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/evidence.h"
#include "workloads/interface.h"
#include "workloads/parameters.h"

namespace breakeven {

class Workload;

/// One problem: an operation and all of its parameters. What it is run on is not part of it.
struct Case {
  const Workload* workload = nullptr;
  Parameters parameters;  // every parameter of the workload, in its order

  Dtype dtype() const { return parameters.dtype(); }
  /// The operations of one iteration, which may be more than one run of the operation (workloads/transfer.h).
  double flop() const;
  double bytes() const;
  std::int64_t samples() const;
  /// The id, stable across machines and versions: the operation, each parameter that is not at its default
  /// value, and the dtype, as in `matmul/m=64/n=64/k=64/f32`.
  std::string id() const;
};

/// An impossible combination of parameters; names the parameter at fault.
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
  /// The activity of a case, to begin a sentence with: "Training the MLP". Throws std::out_of_range if a
  /// parameter is missing.
  virtual std::string activity(const Parameters& parameters) const;
  /// In the order in which ids and reports name them; `dtype` is the last.
  virtual const std::vector<Parameter>& parameters() const = 0;
  /// The title of a case in a report that already names the operation. Unless a workload overrides it: the
  /// parameters that are not at their default value as name=value, then the dtype. Throws std::out_of_range
  /// if a parameter is missing.
  virtual std::string title(const Parameters& parameters) const;
  /// Brings equivalent parameters into one form, so that one problem has one id.
  virtual void normalise(Parameters&) const {}
  /// Throws InvalidCase if parameters that are possible one by one are impossible together.
  virtual void check(const Parameters& parameters) const = 0;

  /// Small cases that cover the corners (tails, transposes, strides), with which conformance tests a backend.
  /// Without a dtype.
  virtual std::vector<Parameters> examples() const = 0;

  /// Floating-point (or integer) operations of one run; a multiply-add counts as two.
  virtual double flop(const Parameters& parameters) const = 0;
  /// Bytes that must move in one run at least: each operand read once, each result written once.
  virtual double bytes(const Parameters& parameters) const = 0;
  /// The least that any algorithm needs, to check for results that are too fast: less than flop() and bytes()
  /// if those count the usual algorithm.
  struct Least {
    double flop = 0, bytes = 0;
  };
  virtual Least least(const Parameters& parameters) const {
    return {.flop = flop(parameters), .bytes = bytes(parameters)};
  }
  /// Bytes that a backend must hold at once to run this at all.
  virtual double memory(const Parameters& parameters) const = 0;
  /// Samples (images) that one run takes in; 0 where that has no meaning.
  virtual std::int64_t samples(const Parameters&) const { return 0; }
  /// False for a question to a device whose answer is a number instead of a time: it has no iterations, and
  /// nothing to verify.
  virtual bool is_timed() const { return true; }
  /// True if users ask for the latency of each single iteration, besides throughput.
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

/// Registers a workload: `const WorkloadRegistration<Matmul> matmul_registered;` beside its definition.
void register_workload(std::unique_ptr<Workload> workload);
template <typename T>
struct WorkloadRegistration {
  WorkloadRegistration() { register_workload(std::make_unique<T>()); }
};

/// Completes `given` with the default values, in the workload's order, and checks it. Throws InvalidCase for
/// a parameter that is missing, unknown or impossible.
Case make_case(const Workload& workload, const Parameters& given);

}  // namespace breakeven
