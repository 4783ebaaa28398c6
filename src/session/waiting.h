// The wait for a program's answer.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstddef>
#include <functional>

#include "session/running_time.h"

namespace breakeven {

/// A wait that ends when `is_over()`, after `timeout`, or when the user interrupts.
struct Wait {
  std::function<bool()> is_over;
  std::chrono::duration<double> timeout;
  std::function<void()> meanwhile = {};  // called every few milliseconds
  std::size_t most_pieces = 2;           // in which what has arrived by the end may be read
  /// Called now and then with the time that the wait has taken so far.
  std::function<void(RunningTime::Clock::duration)> so_far = {};
};

/// Runs `context` meanwhile. Time in which this process was stopped does not count.
void wait(boost::asio::io_context& context, const Wait& waiting);

/// Runs what is ready in `context`, without waiting. It is limited, so that a program that writes without end
/// does not block the driver.
void run_ready(boost::asio::io_context& context);

}  // namespace breakeven
