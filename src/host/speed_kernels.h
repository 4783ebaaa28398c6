// The code that the speed probe times. It is written in assembly so that every build, with or without
// optimisation, runs the same instructions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "host/own_speed.h"

namespace breakeven {

/// Runs independent multiply-adds, for about 40 microseconds at 3 GHz.
void run_throughput_kernel();

/// Runs dependent integer multiplications, for about 10 microseconds at 3 GHz.
void run_clock_kernel();

/// The time of run_throughput_kernel() divided by that of run_clock_kernel() on a core of this machine that
/// no other thread uses.
FullThroughput full_throughput();

/// The offsets of all cache lines of a buffer, in random order.
std::vector<std::uint32_t> random_line_order(std::size_t bytes);

/// Reads one word at each offset. The reads are independent of each other.
void read_lines(const std::byte* data, const std::vector<std::uint32_t>& offsets);
/// Reads one word of every cache line, in order.
void read_all_lines(const std::byte* data, std::size_t bytes);

/// Removes the lines from all caches. Returns false if this processor has no instruction for it.
bool flush_lines(const std::byte* data, std::size_t bytes);

}  // namespace breakeven
