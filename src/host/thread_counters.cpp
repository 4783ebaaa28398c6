#include "host/thread_counters.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdint>

namespace breakeven {
namespace {

int open_counter(std::uint64_t config, int group) {
  perf_event_attr attributes{};
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.size = sizeof attributes;
  attributes.config = config;
  attributes.exclude_kernel = 1;  // allowed by perf_event_paranoid 2, the usual setting
  attributes.exclude_hv = 1;
  attributes.read_format =
      PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  return static_cast<int>(syscall(SYS_perf_event_open, &attributes, 0, -1, group, PERF_FLAG_FD_CLOEXEC));
}

}  // namespace

ThreadCounters::ThreadCounters() : cycles_(open_counter(PERF_COUNT_HW_CPU_CYCLES, -1)) {
  if (cycles_ >= 0) instructions_ = open_counter(PERF_COUNT_HW_INSTRUCTIONS, cycles_);
}

ThreadCounters::~ThreadCounters() {
  if (instructions_ >= 0) close(instructions_);
  if (cycles_ >= 0) close(cycles_);
}

std::optional<SpeedCounters> ThreadCounters::read() const {
  if (cycles_ < 0 || instructions_ < 0) return std::nullopt;
  std::array<std::uint64_t, 5> values{};  // count, time enabled, time running, cycles, instructions
  if (::read(cycles_, values.data(), sizeof values) != static_cast<ssize_t>(sizeof values))
    return std::nullopt;
  if (values[1] != values[2]) return std::nullopt;
  return SpeedCounters{values[3], values[4]};
}

}  // namespace breakeven
