#include "workloads/random.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <numeric>

#include "workloads/parallel.h"

namespace breakeven {
namespace {

/// Draws `count` numbers of `type`, not yet rounded to it.
void draw(const DtypeFacts& type, const RandomStream& numbers, std::int64_t first, std::int64_t count,
          double* values) {
  const auto from = static_cast<std::uint64_t>(first);
  const auto all = static_cast<std::uint64_t>(count);
  if (type.is_integer()) {
    for (std::uint64_t i = 0; i < all; ++i) values[i] = numbers.small_integer(from + i);
  } else {
    for (std::uint64_t i = 0; i < all; ++i) values[i] = numbers.uniform(from + i);
  }
}

/// True if storing a drawn number changes it. Draws are integers, or floats, which f32 and f64 hold as they
/// are; a device rounds those of tf32.
bool rounds_draws(const DtypeFacts& type) {
  return !type.is_integer() && type.input.roundoff > facts(Dtype::f32).unit_roundoff;
}

constexpr std::int64_t drawn_at_once = 256;

}  // namespace

void fill_inputs(Dtype dtype, void* data, std::int64_t count, const RandomStream& numbers) {
  const DtypeFacts& type = facts(dtype);
  parallel_parts(count, threads_for(count), [&](std::int64_t, std::int64_t first, std::int64_t last) {
    std::array<double, drawn_at_once> values{};
    for (std::int64_t at = first; at < last; at += drawn_at_once) {
      const std::int64_t some = std::min(last - at, drawn_at_once);
      draw(type, numbers, at, some, values.data());
      type.input.store(values.data(), some, data, at);
    }
  });
}

void read_inputs(Dtype dtype, const RandomStream& numbers, std::int64_t first, std::int64_t count,
                 double* values) {
  const DtypeFacts& type = facts(dtype);
  if (!rounds_draws(type)) return draw(type, numbers, first, count, values);
  alignas(double) std::array<std::byte, drawn_at_once * sizeof(double)> stored{};
  for (std::int64_t done = 0; done < count; done += drawn_at_once) {
    const std::int64_t some = std::min(count - done, drawn_at_once);
    draw(type, numbers, first + done, some, values + done);
    type.input.store(values + done, some, stored.data(), 0);
    type.input.load(stored.data(), 0, some, values + done);
  }
}

double input_value(Dtype dtype, const RandomStream& numbers, std::int64_t index) {
  const DtypeFacts& type = facts(dtype);
  double value = 0;
  draw(type, numbers, index, 1, &value);
  if (!rounds_draws(type)) return value;
  alignas(double) std::array<std::byte, sizeof(double)> stored{};
  type.input.store(&value, 1, stored.data(), 0);
  type.input.load(stored.data(), 0, 1, &value);
  return value;
}

std::vector<double> input_values(Dtype dtype, const RandomStream& numbers, std::int64_t first,
                                 std::int64_t count) {
  std::vector<double> values(static_cast<std::size_t>(count));
  read_inputs(dtype, numbers, first, count, values.data());
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
