// What take_sample() adds to the calls that it times: to one that does nothing, which shows the cost itself,
// and to one of a known length. Markdown. Not a Google Benchmark program: take_sample() is one already, and
// Google Benchmark cannot run inside of itself.
#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

#include "pairs.h"
#include "worker/timing.h"

namespace breakeven::bench {
namespace {

/// Steps of a chain of multiplications, each of which waits for the one before.
class Chain final : public Prepared {
 public:
  explicit Chain(int steps) : steps_(steps) {}
  void run() override {
    for (int i = 0; i < steps_; ++i) state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    asm volatile("" : "+r"(state_));  // it is wanted
  }
  Evidence show(const std::vector<std::int64_t>&) override { return {}; }
  std::string algorithm() const override { return ""; }

 private:
  int steps_;
  std::uint64_t state_ = 1;
};

/// Calls are virtual in both loops: the compiler is not to look into the bare one.
double bare_loop(Prepared& prepared, std::int64_t iterations) {
  const double seconds = seconds_of([&] {
    for (std::int64_t i = 0; i < iterations; ++i) prepared.run();
  });
  return seconds / static_cast<double>(iterations);
}

/// Beside what a sample says of a call: what the taking of it costs, between the driver's request and answer.
void compare(const std::string& what, int steps, std::int64_t iterations) {
  constexpr std::size_t count = 500;
  Chain chain(steps);
  Prepared& prepared = chain;
  std::vector<double> extra;
  bare_loop(prepared, iterations);
  const auto pairs = alternate(
      count, [&] { return bare_loop(prepared, iterations); },
      [&] {
        double inside = 0;
        const double whole =
            seconds_of([&] { inside = take_sample(prepared, what, iterations, {}).seconds; });
        extra.push_back(whole - inside * static_cast<double>(iterations));
        return inside;
      });
  const Medians both = medians(pairs);
  fmt::print("| {} | {} | {:.2f} | {:.2f} | {:.2f} |\n", what, iterations, both.first * 1e9,
             both.second * 1e9, median(extra) * 1e6);
}

}  // namespace
}  // namespace breakeven::bench

int main() {
  using breakeven::bench::compare;
  fmt::print(
      "| call | calls a sample | bare loop, ns a call | take_sample, ns a call | outside, µs a sample |\n");
  fmt::print("|---|---|---|---|---|\n");
  for (const std::int64_t iterations : {1, 10, 1000, 100'000}) compare("nothing", 0, iterations);
  for (const std::int64_t iterations : {1, 10, 1000})
    compare("1000 dependent multiplications", 1000, iterations);
}
