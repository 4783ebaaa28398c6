#include "backends/reference/elements.h"

namespace breakeven {

std::vector<double> widened(Dtype dtype, const std::byte* stored, std::int64_t count) {
  std::vector<double> values(static_cast<std::size_t>(count));
  facts(dtype).input.load(stored, 0, count, values.data());
  return values;
}

void store_output(Dtype dtype, std::byte* output, std::int64_t index, double value) {
  facts(dtype).output.store(&value, 1, output, index);
}

}  // namespace breakeven
