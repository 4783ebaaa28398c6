#include "backends/cuda/stopwatch.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "host/steady_clock.h"

namespace breakeven::cuda {
namespace {

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string without_gate_from_start() {
  if (variable("BREAKEVEN_CUDA_GATE") == "0") return "BREAKEVEN_CUDA_GATE is 0; unset it";
  const std::string_view blocking = variable("CUDA_LAUNCH_BLOCKING");
  return blocking.empty() || blocking == "0" ? "" : "CUDA_LAUNCH_BLOCKING is set; unset it";
}

/// The reason why this process times without the gate; empty: it uses the gate. Blocking launches affect all
/// its work.
std::string& without_gate() {
  static std::string why = without_gate_from_start();
  return why;
}

constexpr int most_in_a_row = 3;  // each takes as long as the gate waits

/// Counts gates of this process in a row that gave up or were not reached, and ends the use of gates after a
/// few.
void count_gate(bool reached, bool gave_up, bool with_ranks) {
  static int in_a_row = 0;
  in_a_row = gave_up || !reached ? in_a_row + 1 : 0;
  if (in_a_row < most_in_a_row) return;
  if (!reached) {
    without_gate() =
        "the device did not begin work before the host waited for it: another program uses it, or its driver "
        "collects launches, as on Windows (WDDM)";
    return;
  }
  without_gate() = "launches wait for the device, as they do beneath some profilers; measure without one";
  if (with_ranks)
    without_gate() = "another rank began its work over a second later each time, or " + without_gate();
}

/// Waits until the device is at the gate. The stream was empty, so this takes microseconds.
bool wait_until_reached(const Gate& gate) {
  constexpr double patience = 10e-3;  // seconds; another program may have a share of the device
  const auto start = Clock::now();
  while (!gate.reached()) {
    if (seconds_since(start) > patience) return gate.reached();
  }
  return true;
}

struct OpenGate {
  void operator()(Gate* gate) const { gate->open(); }
};

}  // namespace

const std::string& Stopwatch::why_without_gate() {
  return without_gate();
}

double Stopwatch::seconds(std::int64_t runs, const std::function<void()>& enqueue) {
  while (without_gate().empty()) {
    if (const auto seconds = seconds_behind_gate(runs, enqueue)) return *seconds;
  }
  return seconds_of_host(runs, enqueue);
}

std::optional<double> Stopwatch::seconds_of_one_attempt(std::int64_t runs,
                                                        const std::function<void()>& enqueue,
                                                        const std::function<void()>& before_start) {
  if (!without_gate().empty()) {
    before_start();
    return seconds_of_host(runs, enqueue);
  }
  return seconds_behind_gate(runs, enqueue, before_start);
}

std::optional<double> Stopwatch::seconds_behind_gate(std::int64_t runs, const std::function<void()>& enqueue,
                                                     const std::function<void()>& before_start) {
  bool reached = false;
  stream_.wait();
  {
    gate_.close(stream_.get());
    // Also opened after an exception, so that nothing waits for it.
    const std::unique_ptr<Gate, OpenGate> closed(&gate_);
    start_.record(stream_.get());
    for (std::int64_t i = 0; i < runs; ++i) enqueue();
    end_.record(stream_.get());
    reached = wait_until_reached(gate_);
    if (before_start) before_start();
  }
  stream_.wait();
  count_gate(reached, gate_.gave_up(), before_start != nullptr);
  if (!reached || gate_.gave_up()) return std::nullopt;
  return seconds_between(start_, end_);
}

double Stopwatch::seconds_of_host(std::int64_t runs, const std::function<void()>& enqueue) {
  stream_.wait();
  const auto start = Clock::now();
  for (std::int64_t i = 0; i < runs; ++i) enqueue();
  stream_.wait();
  return seconds_since(start);
}

double Stopwatch::quick_seconds(const std::function<void()>& enqueue, double worth,
                                std::int64_t most_at_once) {
  const double once = seconds(1, enqueue);
  if (once > worth) return once;
  const auto runs =
      std::clamp<std::int64_t>(static_cast<std::int64_t>(worth / std::max(once, 1e-7)), 1, most_at_once);
  return seconds(runs, enqueue) / static_cast<double>(runs);
}

double Stopwatch::quick_seconds_of_host(const std::function<void()>& enqueue, double worth) {
  constexpr std::int64_t most = 4096;
  const double once = seconds_of_host(1, enqueue);
  const auto runs =
      std::clamp<std::int64_t>(static_cast<std::int64_t>(worth / std::max(once, 1e-7)), 1, most);
  return seconds_of_host(runs, enqueue) / static_cast<double>(runs);
}

}  // namespace breakeven::cuda
