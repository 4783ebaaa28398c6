#include "statistics/proportion.h"

#include <boost/math/distributions/binomial.hpp>

namespace breakeven {

Interval proportion_interval(std::size_t events, std::size_t trials) {
  if (trials == 0) return {.low = 0, .high = 1};
  using Binomial = boost::math::binomial_distribution<double>;
  const auto n = static_cast<double>(trials);
  const auto k = static_cast<double>(events);
  return {.low = Binomial::find_lower_bound_on_p(n, k, 0.025),
          .high = Binomial::find_upper_bound_on_p(n, k, 0.025)};
}

}  // namespace breakeven
