// Measures what take_sample() adds to the time of the calls: for a call that does nothing, which shows the
// cost itself, and for calls of a known length. Prints Markdown. It is not a Google Benchmark program,
// because take_sample() runs Google Benchmark, which cannot be nested.
#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

#include "pairs.h"
#include "worker/timing.h"

namespace breakeven::bench {
namespace {

/// Runs a chain of multiplications. Each depends on the one before.
class Chain final : public Prepared {
 public:
  explicit Chain(int steps) : steps_(steps) {}
  [[gnu::noinline]] void run() override {  // in the bare loop, too
    for (int i = 0; i < steps_; ++i) state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    asm volatile("" : "+r"(state_));  // keeps the result alive
  }
  Evidence show(const std::vector<std::int64_t>&) override { return {}; }
  std::string algorithm() const override { return ""; }

 private:
  int steps_;
  std::uint64_t state_ = 1;
};

/// Prints the time per call in both loops, and the cost of taking a sample, between the driver's request and
/// the answer.
void compare(const std::string& what, int steps, std::int64_t iterations) {
  constexpr std::size_t count = 500;
  Chain chain(steps);
  Prepared& prepared = chain;
  const auto bare = [&] { return bare_loop(iterations, [&] { prepared.run(); }); };
  std::vector<double> extra;
  bare();
  const auto pairs = alternate(count, bare, [&] {
    double inside = 0;
    const double whole = seconds_of([&] { inside = take_sample(prepared, what, iterations, {}).seconds; });
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
