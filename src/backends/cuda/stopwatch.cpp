#include "backends/cuda/stopwatch.h"

#include <algorithm>
#include <limits>

namespace breakeven::cuda {

double Stopwatch::seconds(std::int64_t runs, const std::function<void()>& enqueue) {
  gate_.close(stream_.get());
  start_.record(stream_.get());
  for (std::int64_t i = 0; i < runs; ++i) enqueue();
  end_.record(stream_.get());
  gate_.open();
  stream_.wait();
  return seconds_between(start_, end_);
}

double Stopwatch::quick_seconds(const std::function<void()>& enqueue) {
  // Kernels are loaded by their first call, which may wait for all that is under way (CUDA Programming Guide,
  // "Lazy loading"): behind a closed gate it would wait for the gate, and the gate for it.
  enqueue();
  stream_.wait();
  const double once = seconds(1, enqueue);
  constexpr double worth = 2e-3;  // seconds that tell one way from another
  const auto runs =
      std::clamp<std::int64_t>(static_cast<std::int64_t>(worth / std::max(once, 1e-7)), 1, most_queued);
  double least = std::numeric_limits<double>::infinity();
  for (int round = 0; round < 3; ++round)
    least = std::min(least, seconds(runs, enqueue) / static_cast<double>(runs));
  return least;
}

}  // namespace breakeven::cuda
