// Verification: the parts of its result that a backend returns, and their comparison with the float64
// reference.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "workloads/dtype.h"

namespace breakeven {

/// The shape of a result in memory, row-major: outer x channels x inner. The channel is the axis along which
/// the result is linear in one operand (columns of a product, output channels of a convolution), so that the
/// sum of the channels with random signs can be computed from operands summed first, at 1/channels of the
/// cost (Freivalds, Probabilistic machines can use less running time, IFIP 1977).
struct OutputShape {
  std::int64_t outer = 0;
  std::int64_t channels = 0;
  std::int64_t inner = 0;
  std::int64_t positions() const { return outer * inner; }
  std::int64_t elements() const { return outer * channels * inner; }
};

/// The flat indices of the result whose values a backend must return.
std::vector<std::int64_t> elements_to_check(std::int64_t elements, std::uint64_t seed);

/// The number of projections of a result. Projection p of `projection_count(shape)` is the sum, over all
/// positions q with q % count == p and all channels c, of sign(q) * sign(c) * result[q, c]. Together they
/// cover every element of the result.
inline constexpr std::int64_t most_projections = 512;
std::int64_t projection_count(const OutputShape& shape);
double terms_per_projection(const OutputShape& shape);
double position_sign(std::uint64_t seed, std::int64_t position);
std::vector<double> channel_signs(std::uint64_t seed, std::int64_t channels);
/// The projections of a result in memory. `output` holds shape.elements() results for inputs of type `dtype`.
std::vector<double> project(Dtype dtype, const void* output, const OutputShape& shape, std::uint64_t seed);
/// The same for a result that is read in parts: read(first, count) returns a pointer to results first ...
/// first + count - 1, which is valid until the next call.
std::vector<double> project(Dtype dtype, const OutputShape& shape, std::uint64_t seed,
                            const std::function<const void*(std::int64_t first, std::int64_t count)>& read);
/// Computes the projections from the sum over channels with signs at each position.
std::vector<double> fold_positions(const std::vector<double>& channel_sums, std::uint64_t seed);

/// The values that a backend returns, and that the reference backend computes in float64 for comparison.
/// Parts that were not requested or not given are empty. NaN replaces a value that is missing.
struct Evidence {
  std::vector<double> elements = {};  // at the requested indices; for networks, of the first batch's logits
  std::vector<double> projections = {};
  std::vector<double> losses = {};  // of the first training steps
  /// In a reference result: other evidence that is equally correct, if a dtype allows several results.
  std::vector<Evidence> alternatives = {};
};

/// The values of a reference result at `elements`: value_of(index) of each. They are computed by several
/// threads if each value takes many `inputs`.
std::vector<double> values_at(const std::vector<std::int64_t>& elements, std::int64_t inputs,
                              const std::function<double(std::int64_t index)>& value_of);

/// The evidence of a result in memory: its values at `elements`, and its projections.
Evidence evidence_of(Dtype dtype, const void* output, const OutputShape& shape, std::uint64_t seed,
                     const std::vector<std::int64_t>& elements);

/// The shape of a result of a single number, and the evidence of such a result.
inline constexpr OutputShape one_number{.outer = 1, .channels = 1, .inner = 1};
Evidence evidence_of_number(double number, std::uint64_t seed, const std::vector<std::int64_t>& elements);

/// The allowed difference between evidence and the reference.
struct Tolerance {
  double element_scale = 1;         // the typical size of a result element, and the unit of errors
  double terms_per_projection = 1;  // errors add like a random walk, so the unit grows by its square root
  double relative = 0;              // for elements and projections, in that unit
  double relative_loss = 0;
};

/// The tolerance of a sum of `length` products of inputs uniform in [-1, 1).
///
/// Such a sum is of size sqrt(length)/3, its partial sums grow as the square root of their length, and each
/// addition rounds at random (Higham and Mary, A new approach to probabilistic rounding error analysis, SIAM
/// J. Sci. Comput. 2019), so that the error in that unit is about u_input (if the device rounds inputs
/// itself) plus u_accumulator * (1 + sqrt(length)/2) plus u_output. Eight of these standard deviations are
/// allowed: of thousands of checked values none comes close, while inputs of a lower precision exceed it by a
/// factor of hundreds.
Tolerance sum_tolerance(Dtype dtype, std::int64_t length, const OutputShape& shape);

struct Verification {
  double error = 0;  // the largest error, in the tolerance's unit
  double tolerance = 0;
  bool correct = false;
  std::string detail;  // if wrong: which value, what it is and what it should be
  std::int64_t elements = 0;
  std::int64_t projections = 0;
  std::int64_t losses = 0;
};

/// Compares evidence with the reference and its alternatives. All of the evidence must agree with one of
/// them; the nearest one that agrees counts.
Verification judge(const Evidence& truth, const Evidence& shown, const Tolerance& tolerance);

}  // namespace breakeven
