#include "statistics/distributions.h"

#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

namespace breakeven {
namespace {

using boost::math::complement;
using StudentT = boost::math::students_t_distribution<double>;

}  // namespace

double student_t_exceeded(double degrees_of_freedom, double probability) {
  return boost::math::quantile(complement(StudentT(degrees_of_freedom), probability));
}

double student_t_tail(double degrees_of_freedom, double t) {
  return boost::math::cdf(complement(StudentT(degrees_of_freedom), t));
}

double normal_quantile(double probability) {
  return boost::math::quantile(boost::math::normal_distribution<double>(), probability);
}

double normal_tail(double z) {
  return boost::math::cdf(complement(boost::math::normal_distribution<double>(), z));
}

double fisher_f_tail(double degrees_of_freedom_above, double degrees_of_freedom_below, double ratio) {
  const boost::math::fisher_f_distribution<double> distribution(degrees_of_freedom_above,
                                                                degrees_of_freedom_below);
  return boost::math::cdf(complement(distribution, ratio));
}

}  // namespace breakeven
