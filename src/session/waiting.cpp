#include "session/waiting.h"

#include "session/worker_process.h"

namespace breakeven {
namespace {

/// How long a single wait lasts, and how long if `meanwhile` is called: twice or more per sample.
constexpr std::chrono::milliseconds longest_wait{100}, between_looks{4};
/// How long one call of `meanwhile` may take and count towards the limit.
constexpr std::chrono::seconds longest_look{1};

}  // namespace

void wait(boost::asio::io_context& context, const Wait& waiting) {
  const auto& [is_over, timeout, meanwhile, most_pieces, so_far] = waiting;
  const std::chrono::milliseconds slice = meanwhile ? between_looks : longest_wait;
  RunningTime waited(RunningTime::Clock::now());
  auto next_look = RunningTime::Clock::now() + between_looks;
  context.restart();
  while (!is_over() && waited.counted() < timeout && !Interruption::requested()) {
    // A signal ends the wait early. One that came just before the wait is noticed a tenth of a second later.
    context.run_one_for(slice);
    waited.add(RunningTime::Clock::now(), slice);
    if (so_far) so_far(waited.counted());
    if (!meanwhile || is_over() || RunningTime::Clock::now() < next_look) continue;
    meanwhile();
    waited.add(RunningTime::Clock::now(), longest_look);
    next_look = RunningTime::Clock::now() + between_looks;
  }
  // An answer that has arrived by now counts as in time, because nothing was read while the driver was
  // stopped. The number of pieces is limited, so that a program that never stops writing does not block the
  // driver.
  for (std::size_t i = 0; i < most_pieces && !is_over() && !Interruption::requested(); ++i)
    context.poll_one();
}

void run_ready(boost::asio::io_context& context) {
  constexpr int most_pieces = 64;
  context.restart();
  for (int i = 0; i < most_pieces && context.poll_one() > 0; ++i) continue;
}

}  // namespace breakeven
