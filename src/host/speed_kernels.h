// The code that the speed probe times, written in assembly so that every build, with or without optimisation,
// runs the same instructions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "host/own_speed.h"

namespace breakeven {

/// About 40 microseconds of independent multiply-adds at 3 GHz.
void run_throughput_kernel();

/// About 10 microseconds of dependent integer multiplications at 3 GHz.
void run_clock_kernel();

/// How long run_throughput_kernel() takes over run_clock_kernel() on a core of this machine that nobody
/// shares.
FullThroughput full_throughput();

/// Offsets of all cache lines of a buffer, in random order.
std::vector<std::uint32_t> random_line_order(std::size_t bytes);

/// Reads one word at each offset. The reads do not depend on each other.
void read_lines(const std::byte* data, const std::vector<std::uint32_t>& offsets);
/// Reads one word of every cache line, in order.
void read_all_lines(const std::byte* data, std::size_t bytes);

/// Removes the lines from all caches. False where this processor has no instruction for it.
bool flush_lines(const std::byte* data, std::size_t bytes);

}  // namespace breakeven
