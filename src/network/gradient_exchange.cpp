#include "network/gradient_exchange.h"

namespace breakeven {
namespace {

/// Large enough that a bucket's latency does not matter, small enough that the last one, for which the step
/// waits, is short. Other sizes were not tried.
constexpr std::int64_t bucket = std::int64_t{1} << 18U;  // values, 1 MiB

}  // namespace

void GradientExchange::ready_from(std::int64_t first) {
  if (!plan_.overlaps) return;
  if (summed_from_ - first >= bucket) {
    sum(first, summed_from_);
    summed_from_ = first;
  } else {
    sums_.advance_sums();
  }
}

void GradientExchange::finish() {
  sum(0, summed_from_);
  sums_.finish_sums();
  summed_from_ = count_;
}

void GradientExchange::sum(std::int64_t first, std::int64_t last) {
  if (first == last) return;
  if (plan_.deterministic) {
    sums_.sum_in_order(gradients_ + first, last - first);
  } else if (plan_.overlaps) {
    sums_.start_sum(gradients_ + first, last - first);
  } else {
    sums_.sum(gradients_ + first, last - first);
  }
}

}  // namespace breakeven
