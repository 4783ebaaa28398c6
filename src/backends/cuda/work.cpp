#include "backends/cuda/work.h"

#include <algorithm>
#include <limits>

namespace breakeven::cuda {
namespace {

/// Runs queued at once: the queue of launches is about a thousand long, and a run may be several.
constexpr std::int64_t most_queued = 64;
/// The mean of so many is as good as that of more.
constexpr std::int64_t enough = 512;

}  // namespace

double Work::seconds_behind_gate(std::int64_t iterations) {
  gate_.close(stream_.get());
  start_.record(stream_.get());
  for (std::int64_t i = 0; i < iterations; ++i) run();
  end_.record(stream_.get());
  gate_.open();
  stream_.wait();
  return seconds_between(start_, end_);
}

std::optional<double> Work::device_seconds(std::int64_t iterations, bool cold) {
  const std::int64_t runs = std::min(iterations, enough);
  double seconds = 0;
  for (std::int64_t done = 0; done < runs;) {
    const std::int64_t queued = cold ? 1 : std::min(most_queued, runs - done);
    if (cold) flush();
    seconds += seconds_behind_gate(queued);
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

double Work::quick_seconds() {
  // Once to see how long it is, and to have everything in place.
  const double once = seconds_behind_gate(1);
  constexpr double worth = 2e-3;  // seconds that tell one way from another
  const auto runs =
      std::clamp<std::int64_t>(static_cast<std::int64_t>(worth / std::max(once, 1e-7)), 1, most_queued);
  double least = std::numeric_limits<double>::infinity();
  for (int round = 0; round < 3; ++round)
    least = std::min(least, seconds_behind_gate(runs) / static_cast<double>(runs));
  return least;
}

}  // namespace breakeven::cuda
