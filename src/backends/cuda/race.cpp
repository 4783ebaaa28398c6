#include "backends/cuda/race.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "backends/cuda/device.h"
#include "worker/backend.h"
#include "worker/tuning.h"

namespace breakeven::cuda {
namespace {

constexpr std::size_t finalists = 3;  // and the first
constexpr double look = 2e-3;         // seconds per look

/// Indices of the best after one look, and of the first, in rising order.
std::vector<std::size_t> finalists_of(const std::vector<double>& of_one_look) {
  std::vector<std::size_t> order(of_one_look.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (order.size() <= finalists + 1) return order;
  std::sort(order.begin() + 1, order.end(),
            [&](std::size_t a, std::size_t b) { return of_one_look[a] < of_one_look[b]; });
  order.resize(of_one_look[order[finalists]] < of_one_look[0] ? finalists + 1 : finalists);
  std::sort(order.begin(), order.end());
  return order;
}

/// Times each of several ways with looks in turn. Returns the median of each; seconds_of(way) takes a look.
template <typename SecondsOf>
std::vector<double> medians_of_looks(std::size_t ways, const SecondsOf& seconds_of) {
  std::vector<std::vector<double>> looks(ways);
  double longest = 0;
  // Three looks are enough for a call that takes longer than a look.
  for (int round = 0; round < (longest > look ? 3 : 5); ++round) {
    for (std::size_t i = 0; i < ways; ++i) {
      looks[i].push_back(seconds_of(i));
      longest = std::max(longest, looks[i].back());
    }
  }
  std::vector<double> medians;
  medians.reserve(ways);
  for (std::vector<double>& of_one : looks) medians.push_back(upper_median(std::move(of_one)));
  return medians;
}

}  // namespace

std::string RaceResult::text() const {
  if (took.size() == 1) return "tuned: there is one";
  return fmt::format("tuned: best of {}, the first took {:.2f}x", took.size(), took.front());
}

RaceResult race(Stopwatch& stopwatch, const std::vector<std::function<void()>>& ways,
                std::int64_t most_queued) {
  if (ways.size() == 1) return {};
  // The first call of a kernel loads it, and may wait for all work in progress (CUDA Programming Guide, "Lazy
  // loading"). Behind a closed gate, each would wait for the other.
  for (const auto& way : ways) way();
  stopwatch.wait();
  std::vector<double> seconds(ways.size());
  if (ways.size() > finalists + 1) {
    for (std::size_t i = 0; i < ways.size(); ++i)
      seconds[i] = stopwatch.quick_seconds(ways[i], look, most_queued);
  }
  std::vector<std::size_t> last = finalists_of(seconds);
  const std::vector<double> medians = medians_of_looks(
      last.size(), [&](std::size_t i) { return stopwatch.quick_seconds(ways[last[i]], look, most_queued); });
  for (std::size_t i = 0; i < last.size(); ++i) seconds[last[i]] = medians[i];
  std::stable_sort(last.begin(), last.end(),
                   [&](std::size_t a, std::size_t b) { return seconds[a] < seconds[b]; });
  const std::size_t fastest = last.front();
  RaceResult result{.fastest = fastest, .took = seconds, .finalists = last, .seconds = seconds[fastest]};
  for (double& took : result.took) took /= seconds[fastest];
  return result;
}

std::vector<double> seconds_of_host(Stopwatch& stopwatch, const std::vector<std::function<void()>>& ways) {
  return medians_of_looks(ways.size(),
                          [&](std::size_t i) { return stopwatch.quick_seconds_of_host(ways[i], look); });
}

void Refusals::add(const std::string& words) {
  end_if_context_is_lost(words);
  if (memory_is_full()) {
    add_out_of_memory(words);
  } else if (!out_of_memory_) {
    words_ = words;
  }
}

void Refusals::add_out_of_memory(const std::string& words) {
  out_of_memory_ = true;
  words_ = words;
}

void Refusals::none_left(const std::string& what) const {
  const std::string message = fmt::format("{}: {}", what, words_);
  if (out_of_memory_) throw OutOfMemory(message);
  throw Unsupported(message);
}

}  // namespace breakeven::cuda
