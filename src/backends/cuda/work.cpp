#include "backends/cuda/work.h"

#include <algorithm>

namespace breakeven::cuda {
namespace {

/// The mean of so many is as good as that of more.
constexpr std::int64_t enough = 512;

}  // namespace

std::optional<double> Work::device_seconds(std::int64_t iterations, bool cold) {
  const std::int64_t runs = std::min(iterations, enough);
  double seconds = 0;
  for (std::int64_t done = 0; done < runs;) {
    const std::int64_t queued = cold ? 1 : std::min(most_queued(), runs - done);
    if (cold) flush();
    seconds += stopwatch_.seconds(queued, [this] { run(); });
    done += queued;
  }
  return seconds / static_cast<double>(runs);
}

bool Work::flush() {
  if (flushed_.bytes() == 0) flushed_ = Memory(std::max<std::int64_t>(4 * device_facts().l2_bytes, 1 << 20));
  check(cudaMemsetAsync(flushed_.data(), 0, static_cast<std::size_t>(flushed_.bytes()), stream_.get()),
        "cudaMemset");
  stream_.wait();
  return true;
}

}  // namespace breakeven::cuda
