#include "workloads/random.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <numeric>
#include <thread>

#include "workloads/parallel.h"

namespace breakeven {
namespace {

double drawn(const DtypeFacts& type, const RandomStream& numbers, std::int64_t index) {
  const auto i = static_cast<std::uint64_t>(index);
  return type.is_integer() ? static_cast<double>(numbers.small_integer(i)) : numbers.uniform(i);
}

}  // namespace

void fill_inputs(Dtype dtype, void* data, std::int64_t count, const RandomStream& numbers) {
  constexpr std::int64_t worth_a_thread = std::int64_t{1} << 20U;
  const auto most = std::min<std::int64_t>(count / worth_a_thread, std::thread::hardware_concurrency());
  const DtypeFacts& type = facts(dtype);
  parallel_parts(count, static_cast<int>(most), [&](std::int64_t, std::int64_t first, std::int64_t last) {
    std::array<double, 256> values{};
    for (std::int64_t at = first; at < last; at += std::ssize(values)) {
      const std::int64_t some = std::min<std::int64_t>(last - at, std::ssize(values));
      for (std::int64_t i = 0; i < some; ++i)
        values[static_cast<std::size_t>(i)] = drawn(type, numbers, at + i);
      type.input.store(values.data(), some, data, at);
    }
  });
}

double input_value(Dtype dtype, const RandomStream& numbers, std::int64_t index) {
  const DtypeFacts& type = facts(dtype);
  double value = drawn(type, numbers, index);
  // Draws are integers, or floats, which f32 and f64 hold as they are; a device rounds those of tf32.
  if (type.is_integer() || type.input.roundoff <= facts(Dtype::f32).unit_roundoff) return value;
  alignas(double) std::array<std::byte, sizeof(double)> stored{};
  type.input.store(&value, 1, stored.data(), 0);
  type.input.load(stored.data(), 0, 1, &value);
  return value;
}

std::vector<double> input_values(Dtype dtype, const RandomStream& numbers, std::int64_t first,
                                 std::int64_t count) {
  std::vector<double> values(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i)
    values[static_cast<std::size_t>(i)] = input_value(dtype, numbers, first + i);
  return values;
}

std::vector<std::uint32_t> shuffled_indices(std::uint32_t count, const RandomStream& numbers) {
  // The keys are uniform and distinct, because RandomStream maps indices one to one. Counting their leading
  // bits finds the place of each up to a few positions, and insertion sort does the rest, in linear time.
  const int bits = std::clamp(static_cast<int>(std::bit_width(count)), 1, 24);
  std::vector<std::uint64_t> keys(count);
  std::vector<std::uint32_t> places((std::size_t{1} << bits) + 1);
  const auto bucket = [&](std::uint32_t i) { return static_cast<std::size_t>(keys[i] >> (64 - bits)); };
  for (std::uint32_t i = 0; i < count; ++i) {
    keys[i] = numbers.bits(i);
    ++places[bucket(i) + 1];
  }
  std::partial_sum(places.begin(), places.end(), places.begin());
  std::vector<std::uint32_t> order(count);
  for (std::uint32_t i = 0; i < count; ++i) order[places[bucket(i)]++] = i;
  for (std::size_t end = 1; end < order.size(); ++end) {
    const std::uint32_t moved = order[end];
    std::size_t at = end;
    for (; at > 0 && keys[order[at - 1]] > keys[moved]; --at) order[at] = order[at - 1];
    order[at] = moved;
  }
  return order;
}

}  // namespace breakeven
