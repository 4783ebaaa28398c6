// The machine's speed probe, again and again: a table of its readings as CSV, a line a CPU and reading.
//   bench-speed-probe [SECONDS [INTERVAL_MS [CPU,CPU...]]]      default: 10 s, every 25 ms, all allowed CPUs
#include "host/speed_probe.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <exception>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "host/cpu.h"

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

void print_reading(double at, double cost, const SpeedReading& reading) {
  for (const CpuSpeedTimes& cpu : reading.times.cpus) {
    fmt::print("{:.4f},{:.1f},{:.4f},{},{},{},{:.3f},{:.3f},{:.2f},{},{:.4f},{}\n", at, cost * 1e6,
               reading.speed.share, speed_part_name(reading.speed.least), reading.speed.cpu, cpu.cpu,
               cpu.throughput_seconds * 1e6, cpu.clock_seconds * 1e6, cpu.l2_seconds * 1e6,
               cpu.memory_seconds ? fmt::format("{:.1f}", *cpu.memory_seconds * 1e6) : "", cpu.cpu_share,
               cpu.counters ? fmt::format("{}", cpu.counters->cycles) : "");
  }
}

int print_readings(double seconds, std::chrono::duration<double> interval, const std::vector<int>& cpus) {
  CpuSpeedProbe probe(cpus);
  const auto start = Clock::now();
  probe.calibrate();
  fmt::print(stderr, "calibrated in {:.1f} ms\n", 1e3 * seconds_since(start));
  fmt::print(
      "seconds,cost_us,share,part,slowest_cpu,cpu,throughput_us,clock_us,l2_us,memory_us,cpu_share,cycles\n");
  while (seconds_since(start) < seconds) {
    std::this_thread::sleep_for(interval);
    const auto before = Clock::now();
    const double at = seconds_since(start);
    const SpeedReading reading = probe.measure();
    print_reading(at, seconds_since(before), reading);
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
