#include "backends/reference/elements.h"

#include <algorithm>
#include <cmath>

namespace breakeven {
namespace {

template <typename T, typename Widen>
std::vector<double> widen_all(const std::byte* stored, std::int64_t count, Widen widen) {
  const auto* values = reinterpret_cast<const T*>(stored);
  std::vector<double> wide(static_cast<std::size_t>(count));
  std::transform(values, values + count, wide.begin(), widen);
  return wide;
}

template <typename T>
void store(std::byte* output, std::int64_t index, T value) {
  reinterpret_cast<T*>(output)[index] = value;
}

}  // namespace

std::vector<double> widened(Dtype dtype, const std::byte* stored, std::int64_t count) {
  switch (dtype) {
    case Dtype::f64:
      return widen_all<double>(stored, count, [](double x) { return x; });
    case Dtype::f32:
    case Dtype::tf32:
      return widen_all<float>(stored, count, [](float x) { return double{x}; });
    case Dtype::f16:
      return widen_all<std::uint16_t>(stored, count, from_f16);
    case Dtype::bf16:
      return widen_all<std::uint16_t>(stored, count, from_bf16);
    case Dtype::f8e4m3:
      return widen_all<std::uint8_t>(stored, count, from_f8e4m3);
    case Dtype::s8:
      return widen_all<std::int8_t>(stored, count,
                                    [](std::int8_t x) { return double{static_cast<double>(x)}; });
  }
  return {};
}

void store_output(Dtype dtype, std::byte* output, std::int64_t index, double value) {
  switch (dtype) {
    case Dtype::f64:
      return store(output, index, value);
    case Dtype::f32:
    case Dtype::tf32:
      return store(output, index, static_cast<float>(value));
    case Dtype::f16:
      return store(output, index, to_f16(static_cast<float>(value)));
    case Dtype::bf16:
    case Dtype::f8e4m3:
      return store(output, index, to_bf16(static_cast<float>(value)));
    case Dtype::s8:
      return store(output, index, static_cast<std::int32_t>(std::lrint(value)));
  }
}

}  // namespace breakeven
