#include "workloads/random.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <thread>

namespace breakeven {
namespace {

template <typename T, typename Make>
void fill(void* data, std::int64_t count, Make make) {
  auto* out = static_cast<T*>(data);
  const auto fill_range = [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) out[i] = make(static_cast<std::uint64_t>(i));
  };
  // Uses plain threads, which end here, because an OpenMP team would outlive the call.
  constexpr std::int64_t worth_a_thread = std::int64_t{1} << 20U;
  const std::int64_t parts =
      std::clamp<std::int64_t>(count / worth_a_thread, 1, std::max(1U, std::thread::hardware_concurrency()));
  std::vector<std::jthread> threads;
  for (std::int64_t p = 1; p < parts; ++p) {
    threads.emplace_back(fill_range, count * p / parts, count * (p + 1) / parts);
  }
  fill_range(0, count / parts);
}

}  // namespace

void fill_inputs(Dtype dtype, void* data, std::int64_t count, const RandomStream& numbers) {
  switch (dtype) {
    case Dtype::f64:
      return fill<double>(data, count, [&](auto i) { return double{numbers.uniform(i)}; });
    case Dtype::f32:
    case Dtype::tf32:
      return fill<float>(data, count, [&](auto i) { return numbers.uniform(i); });
    case Dtype::f16:
      return fill<std::uint16_t>(data, count, [&](auto i) { return to_f16(numbers.uniform(i)); });
    case Dtype::bf16:
      return fill<std::uint16_t>(data, count, [&](auto i) { return to_bf16(numbers.uniform(i)); });
    case Dtype::f8e4m3:
      return fill<std::uint8_t>(data, count, [&](auto i) { return to_f8e4m3(numbers.uniform(i)); });
    case Dtype::s8:
      return fill<std::int8_t>(data, count, [&](auto i) { return numbers.small_integer(i); });
  }
}

double input_value(Dtype dtype, const RandomStream& numbers, std::int64_t index) {
  const auto i = static_cast<std::uint64_t>(index);
  switch (dtype) {
    case Dtype::f64:
    case Dtype::f32:
    case Dtype::tf32:
      return numbers.uniform(i);  // tf32 inputs are stored in f32; the device rounds them
    case Dtype::f16:
      return from_f16(to_f16(numbers.uniform(i)));
    case Dtype::bf16:
      return from_bf16(to_bf16(numbers.uniform(i)));
    case Dtype::f8e4m3:
      return from_f8e4m3(to_f8e4m3(numbers.uniform(i)));
    case Dtype::s8:
      return numbers.small_integer(i);
  }
  return 0.0;
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
