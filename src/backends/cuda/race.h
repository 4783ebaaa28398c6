// A race between several ways to do the same work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "backends/cuda/stopwatch.h"

namespace breakeven::cuda {

/// For Prepared::algorithm(), if the case requests no race.
inline constexpr const char* not_tuned = "the first named, not tuned";

struct RaceResult {
  std::size_t fastest = 0;  // index
  /// The time of each way, as a multiple of the fastest one's.
  std::vector<double> took = {1};
  std::vector<std::size_t> finalists = {0};  // indices of those timed several times, the fastest first
  double seconds = 0;                        // of the fastest; 0 if there is only one

  /// For Prepared::algorithm().
  std::string text() const;
};

/// Finds the fastest way. Each way enqueues the work, and may be called any number of times. There must be at
/// least one; a single one is not timed. Of many, each is timed once, for two milliseconds; then the best
/// three and the first are timed in turn, several times, and the lowest median wins, because the differences
/// are often smaller than the noise of one look. `most_queued`: how many times a way may be enqueued behind a
/// closed gate.
RaceResult race(Stopwatch& stopwatch, const std::vector<std::function<void()>>& ways,
                std::int64_t most_queued = Stopwatch::most_queued);

/// Times ways by the host's clock, as a sample of a run is: many calls in a row, then a wait. All take turns,
/// several times. Returns the median of each, in seconds.
std::vector<double> seconds_of_host(Stopwatch& stopwatch, const std::vector<std::function<void()>>& ways);

template <typename Candidate>
struct Raced {
  Candidate fastest;
  std::string text;                       // for Prepared::algorithm()
  std::vector<Candidate> finalists = {};  // the fastest first; empty if there was no race
  double seconds = 0;                     // see RaceResult
};
/// Races candidates by timing enqueue(candidate). Without `tuned`, returns the first.
template <typename Candidate, typename Enqueue>
Raced<Candidate> race(Stopwatch& stopwatch, const std::vector<Candidate>& candidates, bool tuned,
                      const Enqueue& enqueue) {
  if (!tuned) return {candidates.front(), not_tuned};
  std::vector<std::function<void()>> ways;
  ways.reserve(candidates.size());
  for (const Candidate& candidate : candidates) ways.push_back([&] { enqueue(candidate); });
  const RaceResult result = race(stopwatch, ways);
  std::vector<Candidate> finalists;
  for (const std::size_t one : result.finalists) finalists.push_back(candidates[one]);
  return {candidates[result.fastest], result.text(), std::move(finalists), result.seconds};
}

/// The reasons why a library's candidates were left out of a race.
class Refusals {
 public:
  /// Records that a candidate failed with this message. Exits if the device's context is lost, because every
  /// later candidate would fail, too.
  void add(const std::string& words);
  /// Records that a candidate needs more memory than is available.
  void add_out_of_memory(const std::string& words);
  /// Reports that no candidate is left. Throws OutOfMemory if one failed for lack of memory, otherwise
  /// Unsupported.
  [[noreturn]] void none_left(const std::string& what) const;

 private:
  bool out_of_memory_ = false;
  std::string words_ = "the library names none";  // of the last candidate
};

}  // namespace breakeven::cuda
