// Runs the machine's speed probe repeatedly and prints its readings as CSV, one line per CPU and reading.
// Between two probes, the first CPU of the list runs two kinds of work that a neighbour slows by different
// amounts: a product of matrices and a chain of dependent additions.
//   bench-speed-probe [SECONDS [INTERVAL_MS [CPU,CPU...]]]      default: 10 s, every 25 ms, all allowed CPUs
#include "host/speed_probe.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "host/cpu.h"
#include "host/threads.h"

namespace breakeven::bench {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::vector<int> cpus_from(const std::string& list) {
  std::vector<int> cpus;
  std::istringstream in(list);
  for (std::string cpu; std::getline(in, cpu, ',');) cpus.push_back(std::stoi(cpu));
  return cpus;
}

/// The times, in microseconds, of work that a neighbour on the same core slows.
struct Work {
  double product = 0;
  double chain = 0;
};

class Workload {
 public:
  Work run() {
    Work work;
    work.product = microseconds_of([&] {
      for (int i = 0; i < 40; ++i) multiply();
    });
    work.chain = microseconds_of([&] {
      for (int i = 0; i < 400'000; ++i) sum_ = sum_ + 1.0;
    });
    return work;
  }

 private:
  static constexpr std::size_t size = 64;

  template <class Function>
  static double microseconds_of(Function&& function) {
    const auto start = Clock::now();
    function();
    return 1e6 * seconds_since(start);
  }

  void multiply() {
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t k = 0; k < size; ++k) {
        for (std::size_t j = 0; j < size; ++j) c_[i * size + j] += a_[i * size + k] * b_[k * size + j];
      }
    }
  }

  std::vector<float> a_ = std::vector<float>(size * size), b_ = a_, c_ = a_;
  volatile double sum_ = 0;
};

std::string name_of(SpeedPart part) {
  static constexpr std::array names{"floating-point throughput", "L2 cache", "memory", "clock", "CPU time"};
  return names.at(static_cast<std::size_t>(part));
}

void print_reading(double at, double cost, const SpeedReading& reading, const Work& work) {
  for (const CpuSpeedTimes& cpu : reading.times.cpus) {
    fmt::print("{:.4f},{:.1f},{:.4f},{},{},{},{:.3f},{:.3f},{:.2f},{},{:.4f},{},{:.0f},{:.0f},{}\n", at,
               cost * 1e6, reading.speed.share, name_of(reading.speed.least), reading.speed.cpu, cpu.cpu,
               cpu.throughput_seconds * 1e6, cpu.clock_seconds * 1e6, cpu.l2_seconds * 1e6,
               cpu.memory_seconds ? fmt::format("{:.1f}", *cpu.memory_seconds * 1e6) : "", cpu.cpu_share,
               cpu.counters ? fmt::format("{}", cpu.counters->cycles) : "", work.product, work.chain,
               reading.times.core_to_core_seconds
                   ? fmt::format("{:.0f}", *reading.times.core_to_core_seconds * 1e9)
                   : "");
  }
}

int print_readings(double seconds, std::chrono::duration<double> interval, const std::vector<int>& cpus) {
  CpuSpeedProbe probe(cpus);
  set_cpus_of_thread(0, {cpus.front()});
  Workload workload;
  const auto start = Clock::now();
  probe.calibrate();
  fmt::print(stderr, "calibrated in {:.1f} ms\n", 1e3 * seconds_since(start));
  fmt::print(
      "seconds,cost_us,share,part,slowest_cpu,cpu,throughput_us,clock_us,l2_us,memory_us,cpu_share,cycles,"
      "product_us,chain_us,core_to_core_ns\n");
  while (seconds_since(start) < seconds) {
    std::this_thread::sleep_for(interval);
    const Work work = workload.run();
    const auto before = Clock::now();
    const double at = seconds_since(start);
    const SpeedReading reading = probe.measure();
    print_reading(at, seconds_since(before), reading, work);
  }
  const SpeedReference reference = probe.reference();
  fmt::print(stderr, "reference: {}{}\n",
             reference.kind == SpeedReferenceKind::absolute ? "absolute" : reference.why,
             reference.best_share_alone
                 ? fmt::format(", seen alone at {:.1f} %", 100 * *reference.best_share_alone)
                 : "");
  return 0;
}

}  // namespace
}  // namespace breakeven::bench

int main(int argc, char** argv) {
  try {
    return breakeven::bench::print_readings(
        argc > 1 ? std::stod(argv[1]) : 10,
        std::chrono::duration<double>(argc > 2 ? std::stod(argv[2]) / 1e3 : 0.025),
        argc > 3 ? breakeven::bench::cpus_from(argv[3]) : breakeven::allowed_cpus());
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench-speed-probe: {}\n", error.what());
    return 1;
  }
}
