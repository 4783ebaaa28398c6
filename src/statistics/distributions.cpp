#include "statistics/distributions.h"

#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

namespace breakeven {
namespace {

using boost::math::complement;
// By default Boost computes in long double, which takes five times as long, for a 15th right digit.
using InDouble = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
using StudentT = boost::math::students_t_distribution<double, InDouble>;
using Normal = boost::math::normal_distribution<double, InDouble>;
using FisherF = boost::math::fisher_f_distribution<double, InDouble>;

}  // namespace

double student_t_exceeded(double degrees_of_freedom, double probability) {
  return boost::math::quantile(complement(StudentT(degrees_of_freedom), probability));
}

double student_t_tail(double degrees_of_freedom, double t) {
  return boost::math::cdf(complement(StudentT(degrees_of_freedom), t));
}

double normal_quantile(double probability) {
  return boost::math::quantile(Normal(), probability);
}

double normal_tail(double z) {
  return boost::math::cdf(complement(Normal(), z));
}

double fisher_f_tail(double degrees_of_freedom_above, double degrees_of_freedom_below, double ratio) {
  return boost::math::cdf(complement(FisherF(degrees_of_freedom_above, degrees_of_freedom_below), ratio));
}

}  // namespace breakeven
