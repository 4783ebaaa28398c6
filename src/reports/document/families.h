// Groups results: those that are points of one curve, and those of one problem in several dtypes.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "reports/document/runs.h"
#include "results/result.h"
#include "verdicts/case_families.h"

namespace breakeven {

/// A case with a time, and its label in the charts of its machine.
struct Timed : MeasuredCase {
  std::string label;    // "oneDNN f32"; includes the dtype only if there are several; printable
  std::string backend;  // the same without the dtype
};

/// The value of a parameter as text; empty if the case has no such parameter.
std::string parameter_text(const CaseResult& c, const std::string& parameter);

/// The results that have a time.
std::vector<Timed> timed_results(const std::vector<MeasuredCase>& cases);

using Group = std::vector<const Timed*>;

/// Cases that differ only in one integer parameter, in the parameters that change with it (m = n = k), in the
/// dtype and in the backend or device.
struct Family {
  std::string op, parameter;
  /// Other parameters that are not at their default value, with these.
  std::vector<std::pair<std::string, std::string>> fixed;
  std::vector<std::pair<double, const Timed*>> members;

  std::set<std::string> dtypes() const;
  std::string work() const;  // "Training the MLP, width 256"; printable
  /// The dtypes, each with the work, which names the dtype if there are several.
  std::vector<std::pair<std::string, std::string>> works() const;

  /// The fastest result at each value, among those of this dtype for which `holds` is true.
  std::map<double, const CaseResult*> fastest(
      const std::string& dtype, bool (*holds)(const Timed&) = [](const Timed&) { return true; }) const;
};

/// The families whose parameter has at least three values, in the order of the results. A family whose cases
/// are all in another is left out. The families point into `all`, which must outlive them.
std::vector<Family> families_of(const std::vector<Timed>& all);

/// The index of the results of one or more machines, made once for all that a report says of them.
struct Measurements {
  explicit Measurements(Runs all);
  Measurements(const Measurements&) = delete;  // a copy's families would point into the original
  Measurements& operator=(const Measurements&) = delete;
  Measurements(Measurements&&) = default;
  Measurements& operator=(Measurements&&) = default;
  ~Measurements() = default;

  Runs runs;
  std::vector<MeasuredCase> cases;
  std::vector<Ceilings> ceilings;  // by device
  std::vector<Timed> timed;
  std::vector<Family> families;
};

/// How many times as fast problems are with one value of a parameter as with another: the geometric mean over
/// the problems that were measured with both, each by the fastest backend of the device.
struct OverValue {
  std::string op, device, value;  // "matmul", "cpu", "bf16"
  double mean = 1, least = 1, most = 1;
  std::size_t problems = 0;
  std::string least_in = {};  // title of the problem with the least ratio, in the other value
};

/// The comparisons of all values with `base`, by operation and device. Ceilings are left out.
std::vector<OverValue> over_value(const std::vector<Timed>& all, const std::string& parameter,
                                  const std::string& base);

/// " (3 problems: 0.97x to 1.8x)"; empty for one problem.
std::string range_text(std::size_t problems, double least, double most);

/// The comparisons of all dtypes with f32.
std::vector<OverValue> over_f32(const std::vector<Timed>& all);

}  // namespace breakeven
