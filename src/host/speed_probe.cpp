#include "host/speed_probe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sched.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <new>
#include <numeric>
#include <stdexcept>

#include "host/cache.h"
#include "host/cpu.h"
#include "host/speed_kernels.h"
#include "host/thread_counters.h"

namespace breakeven {
namespace {

/// Time in which the core leaves its sleep state, and the thread's code and data arrive in its caches.
constexpr auto warm_up = std::chrono::microseconds(50);
/// How often each part is timed. The slowest times are discarded, because an interrupt falls into one or two
/// of them.
constexpr std::size_t throughput_blocks = 6;
constexpr std::size_t l2_passes = 5;
constexpr std::size_t slowest_left_out = 2;
/// The clock rate of a core changes by less than this factor during a probe. If the clock kernel takes
/// longer, it was interrupted.
constexpr double largest_clock_change = 1.1;
constexpr std::size_t largest_l2_buffer = std::size_t{512} << 10U;
constexpr std::size_t memory_buffer = std::size_t{4} << 20U;
constexpr auto between_memory_reads = std::chrono::seconds(1);
/// How long threads wait for each other before they start.
constexpr auto longest_wait = std::chrono::milliseconds(1);
constexpr int most_attempts = 3;
constexpr int calibrations = 5;

template <class Work>
double seconds_of(Work&& work) {
  const auto start = Clock::now();
  work();
  return seconds_since(start);
}

double cpu_seconds_of_thread() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Memory in large pages if the kernel has them, so that its place in a cache is the same in every process.
class Memory {
 public:
  explicit Memory(std::size_t bytes) : bytes_(bytes) {
    constexpr std::size_t huge_page = std::size_t{2} << 20U;
    const std::size_t rounded = (bytes + huge_page - 1) / huge_page * huge_page;
    data_.reset(static_cast<std::byte*>(std::aligned_alloc(huge_page, rounded)));
    if (!data_) throw std::bad_alloc();
    static_cast<void>(madvise(data_.get(), rounded, MADV_HUGEPAGE));  // without them times are less steady
    std::fill_n(data_.get(), rounded, std::byte{1});
  }
  const std::byte* data() const { return data_.get(); }
  std::size_t size() const { return bytes_; }

 private:
  struct Free {
    void operator()(std::byte* data) const { std::free(data); }
  };
  std::unique_ptr<std::byte, Free> data_;
  std::size_t bytes_;
};

/// Barrier at which the threads of one probe wait for each other, for at most longest_wait.
class StartingLine {
 public:
  explicit StartingLine(std::size_t threads) : missing_(threads) {}
  void wait() {
    missing_.fetch_sub(1, std::memory_order_acq_rel);
    const auto start = Clock::now();
    while (missing_.load(std::memory_order_acquire) > 0 && Clock::now() - start < longest_wait) {
    }
  }

 private:
  std::atomic<std::size_t> missing_;
};

/// A cache line that the threads of one probe hand round. Each writes it when it is its turn.
class HandedRound {
 public:
  explicit HandedRound(std::size_t threads)
      : threads_(static_cast<std::uint32_t>(threads)), laps_(std::max(1U, hands_a_block / threads_)) {}

  /// The part of one thread. All of them must call it at the same time. Thread 0 returns the least time of a
  /// hand over several blocks of laps. It is empty if a thread did not come in time, and for other threads.
  std::optional<double> take_part(std::uint32_t thread) {
    std::optional<double> least;
    std::uint32_t turn = thread;
    for (int block = 0; block < blocks; ++block) {
      const auto start = Clock::now();
      for (std::uint32_t lap = 0; lap < laps_; ++lap, turn += threads_) {
        if (!wait_for(turn)) return std::nullopt;
        turn_.store(turn + 1, std::memory_order_release);
      }
      if (thread != 0) continue;
      if (!wait_for(turn)) return std::nullopt;
      const double seconds = seconds_since(start) / (laps_ * threads_);
      if (block > 0) least = std::min(least.value_or(seconds), seconds);  // the first waits for late threads
    }
    return least;
  }

 private:
  static constexpr std::uint32_t hands_a_block = 50;
  static constexpr int blocks = 8;

  bool wait_for(std::uint32_t turn) {
    constexpr int between_readings_of_the_clock = 1000;
    const auto start = Clock::now();
    do {
      for (int i = 0; i < between_readings_of_the_clock; ++i) {
        if (turn_.load(std::memory_order_acquire) == turn) return true;
      }
    } while (!given_up_.load(std::memory_order_relaxed) && Clock::now() - start < longest_wait);
    given_up_.store(true, std::memory_order_relaxed);
    return false;
  }

  const std::uint32_t threads_, laps_;
  alignas(128) std::atomic<std::uint32_t> turn_ = 0;  // processors fetch lines of 64 bytes in pairs
  alignas(128) std::atomic<bool> given_up_ = false;
};

}  // namespace

/// The data of one thread, which allocates it, so that the memory is near its CPU.
struct CpuProbe {
  explicit CpuProbe(std::size_t l2_bytes)
      : l2(l2_bytes), l2_order(random_line_order(l2_bytes)), memory(memory_buffer) {
    flush_lines(memory.data(), memory.size());
  }
  Memory l2;
  std::vector<std::uint32_t> l2_order;
  Memory memory;
  ThreadCounters counters;
};

namespace {

/// Times divided by the clock kernel's, and the times of the clock kernel itself.
struct TimesInClocks {
  std::vector<double> ratios;
  double clock_seconds = 0;
};

/// Runs `work` `repeats` times, with the clock kernel before and after each. A time is divided by the lesser
/// of its two clock times, because the clock rate may change between blocks. If both were interrupted, the
/// least of all clock times replaces them.
template <class Work>
TimesInClocks time_in_clocks(std::size_t repeats, Work&& work) {
  std::vector<double> clocks{seconds_of(run_clock_kernel)};
  std::vector<double> seconds;
  for (std::size_t i = 0; i < repeats; ++i) {
    seconds.push_back(seconds_of(work));
    clocks.push_back(seconds_of(run_clock_kernel));
  }
  TimesInClocks times;
  times.clock_seconds = *std::min_element(clocks.begin(), clocks.end());
  for (std::size_t i = 0; i < repeats; ++i) {
    const double clock = std::min(clocks[i], clocks[i + 1]);
    const bool interrupted = clock > largest_clock_change * times.clock_seconds;
    times.ratios.push_back(seconds[i] / (interrupted ? times.clock_seconds : clock));
  }
  return times;
}

std::vector<std::size_t> indices_below(std::size_t count) {
  std::vector<std::size_t> indices(count);
  std::iota(indices.begin(), indices.end(), std::size_t{0});
  return indices;
}

double mean_without_slowest(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  values.resize(values.size() - slowest_left_out);
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Lets waiting threads run first, and returns as soon as another thread has run. The scheduler runs a thread
/// that has slept before one that computes all the time, for longer than a probe takes, so without this the
/// probe misses a busy program on the same CPU. After one call that program ran in four of five probes, after
/// three in all (Linux 6.18; docs/machine-speed.md).
void let_others_run() {
  constexpr double nobody_ran = 200e-6;
  for (int i = 0; i < 3; ++i) {
    if (seconds_of(sched_yield) > nobody_ran) return;
  }
}

void measure_throughput(const CpuProbe& probe, CpuSpeedTimes& times) {
  const auto counted_before = probe.counters.read();
  const TimesInClocks measured = time_in_clocks(throughput_blocks, run_throughput_kernel);
  const auto counted_after = probe.counters.read();
  times.clock_seconds = measured.clock_seconds;
  times.throughput_seconds = measured.clock_seconds * mean_without_slowest(measured.ratios);
  if (counted_before && counted_after) {
    times.counters = SpeedCounters{counted_after->cycles - counted_before->cycles,
                                   counted_after->instructions - counted_before->instructions};
  }
}

void measure_l2(const CpuProbe& probe, CpuSpeedTimes& times) {
  const auto read = [&] {
    for (int i = 0; i < 2; ++i) read_lines(probe.l2.data(), probe.l2_order);
  };
  read();  // loads what a contender displaced
  times.l2_seconds = times.clock_seconds * mean_without_slowest(time_in_clocks(l2_passes, read).ratios);
}

void measure_memory(const CpuProbe& probe, CpuSpeedTimes& times) {
  times.memory_seconds = seconds_of([&] { read_all_lines(probe.memory.data(), probe.memory.size()); });
  // After this the next read finds none of the buffer in a cache, and contenders find their own data there.
  if (!flush_lines(probe.memory.data(), probe.memory.size())) times.memory_seconds.reset();
}

}  // namespace

CpuSpeedProbe::CpuSpeedProbe(const std::vector<int>& cpus) : threads_(cpus), own_(full_throughput()) {
  if (threads_.cpus().empty()) {
    throw std::runtime_error(fmt::format(
        "the speed probe cannot run on CPUs {}: the kernel refuses to pin a thread to any of them; "
        "choose among those that `taskset -cp $$` shows",
        fmt::join(cpus, ", ")));
  }
  probes_.resize(threads_.cpus().size());
  threads_.run(indices_below(probes_.size()), [this](std::size_t i) {
    probes_[i] = std::make_shared<CpuProbe>(
        std::min(largest_l2_buffer, l2_share_bytes(threads_.cpus()[i], threads_.cpus()) / 4));
  });
}

void CpuSpeedProbe::calibrate() {
  for (int i = 0; i < calibrations; ++i) {
    const auto before = probe_each_alone();
    const SpeedProbeTimes together = probe_all(false);
    const auto after = probe_each_alone();
    own_.note(together);
    for (std::size_t cpu = 0; cpu < together.cpus.size(); ++cpu)
      own_.note_calibration(before[cpu], together.cpus[cpu], after[cpu]);
  }
}

SpeedReading CpuSpeedProbe::measure() {
  const bool memory_too = Clock::now() >= next_memory_read_;
  if (memory_too) next_memory_read_ = Clock::now() + between_memory_reads;
  SpeedReading best;
  std::vector<double> cpu_shares(probes_.size());
  const int attempts = was_slow_ ? 1 : most_attempts;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    SpeedProbeTimes times = probe_all(memory_too);
    own_.note(times);
    if (attempt == 0) best.times = times;
    for (std::size_t i = 0; i < cpu_shares.size(); ++i) {
      cpu_shares[i] += times.cpus[i].cpu_share;
      best.times.cpus[i].cpu_share = times.cpus[i].cpu_share = cpu_shares[i] / (attempt + 1);
    }
    best.times = own_.fastest_of(best.times, times);
    best.speed = own_.share_of(best.times);
    if (best.speed.share >= trusted_speed_share) break;
  }
  was_slow_ = best.speed.share < trusted_speed_share;
  best.throttled_seconds = throttled_seconds().value_or(0);
  return best;
}

std::vector<CpuSpeedTimes> CpuSpeedProbe::probe_each_alone() {
  std::vector<CpuSpeedTimes> all;
  for (std::size_t i = 0; i < probes_.size(); ++i) all.push_back(probe({i}, false).cpus.front());
  return all;
}

SpeedProbeTimes CpuSpeedProbe::probe_all(bool memory_too) {
  return probe(indices_below(probes_.size()), memory_too);
}

SpeedProbeTimes CpuSpeedProbe::probe(const std::vector<std::size_t>& indices, bool memory_too) {
  std::vector<CpuSpeedTimes> times(probes_.size());
  StartingLine start(indices.size());
  StartingLine memory_start(indices.size());
  HandedRound line(indices.size());
  std::optional<double> core_to_core;
  threads_.run(indices, [&](std::size_t i) {
    CpuSpeedTimes& mine = times[i];
    CpuProbe& probe = *probes_[i];
    mine.cpu = threads_.cpus()[i];
    start.wait();
    for (const auto begin = Clock::now(); Clock::now() - begin < warm_up;) run_throughput_kernel();
    const double cpu_before = cpu_seconds_of_thread();
    const auto wall_before = Clock::now();
    let_others_run();
    measure_throughput(probe, mine);
    let_others_run();
    measure_l2(probe, mine);
    const double wall = seconds_since(wall_before);
    mine.cpu_share = wall > 0 ? (cpu_seconds_of_thread() - cpu_before) / wall : 1;
    if (memory_too) {
      memory_start.wait();
      measure_memory(probe, mine);
      if (indices.size() > 1) {
        const auto seconds = line.take_part(static_cast<std::uint32_t>(i));
        if (i == 0) core_to_core = seconds;
      }
    }
  });
  SpeedProbeTimes result{.cpus = {}, .core_to_core_seconds = core_to_core};
  for (const std::size_t i : indices) result.cpus.push_back(times[i]);
  return result;
}

}  // namespace breakeven
