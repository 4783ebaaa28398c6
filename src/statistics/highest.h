// Finds members of a group that are higher than the rest, where chance may make any of them high. Pure
// functions.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace breakeven {

/// The values of one member of a group: a node's time in each of its runs, as logarithms. At least one.
using Values = std::vector<double>;

/// How far a further value is from the usual ones. The kind of their noise is not known. The worst of five
/// kinds is allowed for: normal, Student's t with three and five degrees of freedom, exponential, and normal
/// with every tenth value three standard deviations higher.
class UsualValues {
 public:
  /// Needs at least two values.
  explicit UsualValues(const std::vector<double>& values);

  /// The logarithm of an upper bound of the probability that a further value is as high as `value`. In a
  /// simulation it holds for probabilities from 3 to 0.01 % (the test of this class).
  double log_tail(double value) const;
  /// The value at which log_tail() is `log_probability`.
  double exceeded(double log_probability) const;
  std::size_t count() const { return count_; }

 private:
  double factor() const;
  double degrees_of_freedom() const;

  std::size_t count_;
  double middle_;      // the median
  double spread_ = 0;  // the mean distance from it
};

/// The logarithm of the p-value of the hypothesis that the `high` highest members belong to the others.
/// `falling` has the members in falling order of their lowest values. All values of a high member have to be
/// high, so that one that was high by chance in one run is not found if it was not in another. There is no
/// assumption on how many are high: each number below half has its share of the error, divided by the choices
/// of so many members (block tests: Barnett and Lewis, Outliers in Statistical Data, 3rd ed., 1994), so that
/// high members do not hide each other.
double log_p_of_highest(std::span<const Values> falling, std::size_t high);

/// The number of highest members that belongs least likely to the others, and its p-value; 1 with fewer than
/// three members. It is called again without each highest member found, until none is found at a level. Then
/// at most a fraction `level` of groups of alike members has a find.
struct HighestMembers {
  double p_value = 1;
  std::size_t members = 1;
};
HighestMembers least_likely(std::span<const Values> falling);

/// The value from which on the lowest value of a further member would make log_p_of_highest(..., high) at
/// most `log_level`, if the first `high` - 1 of the `others` are as high.
double high_from(std::span<const Values> others, const Values& member, std::size_t high, double log_level);

}  // namespace breakeven
