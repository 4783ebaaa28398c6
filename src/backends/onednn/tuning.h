// Several ways to do the same work, and the choice among them by a short race. The library chooses an
// implementation by rules of thumb, but the fastest one depends on the CPU and on the shape.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "workloads/interface.h"

namespace breakeven::onednn {

/// A way to do the work, ready to run.
class Way : public Interface {
 public:
  virtual void run() = 0;
  /// The implementation and its layouts.
  virtual std::string name() const = 0;
};

/// Makes a way and allocates its memory.
template <typename W>
using Maker = std::function<std::unique_ptr<W>()>;

/// Seconds of one run.
double seconds_of(Way& way);

/// Runs two ways in turn. True if the challenger is faster by more than the noise of such a short race. A tie
/// goes to the champion, so the order of the candidates decides.
bool challenger_wins(Way& champion, Way& challenger, const std::function<double(Way&)>& time = seconds_of);

template <typename W>
struct Winner {
  std::unique_ptr<W> way;
  std::size_t candidates = 0;

  /// See Prepared::algorithm().
  std::string algorithm() const {
    return candidates == 1 ? way->name()
                           : way->name() + ", tuned: fastest of " + std::to_string(candidates) + " ways";
  }
};

/// Returns the fastest way; without a race the first. At most two exist at any time, which bounds the memory
/// needed. `makers` must not be empty.
template <typename W>
Winner<W> choose(const std::vector<Maker<W>>& makers, bool tuned) {
  Winner<W> winner{.way = makers.front()(), .candidates = tuned ? makers.size() : 1};
  for (std::size_t i = 1; i < winner.candidates; ++i) {
    auto challenger = makers[i]();
    if (challenger_wins(*winner.way, *challenger)) winner.way = std::move(challenger);
  }
  return winner;
}

}  // namespace breakeven::onednn
