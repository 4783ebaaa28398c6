#include "backends/cuda/arrays.h"

#include <fmt/format.h>

#include <algorithm>

#include "backends/cuda/race.h"

namespace breakeven::cuda {

Memory random_array(const Bandwidth& array, const RandomStream& numbers, cudaStream_t stream) {
  Memory memory(array.bytes);
  fill_uniform(array.dtype, numbers, memory.data(), array.bytes, stream);
  check(cudaStreamSynchronize(stream), "the device");
  return memory;
}

Evidence show_array(const Bandwidth& array, const Memory& memory, std::uint64_t seed,
                    const std::vector<std::int64_t>& elements) {
  const auto size = static_cast<std::int64_t>(facts(array.dtype).bytes());
  std::vector<std::byte> piece;
  const auto read = [&](std::int64_t first, std::int64_t count) {
    piece.resize(std::max(piece.size(), static_cast<std::size_t>(count * size)));
    memory.download(piece.data(), first * size, count * size);
    return piece.data();
  };
  Evidence shown;
  for (const std::int64_t e : elements) shown.elements.push_back(read_output(array.dtype, read(e, 1), 0));
  shown.projections = project(array.dtype, array.shape(), seed, read);
  return shown;
}

unsigned filling_blocks() {
  constexpr unsigned blocks_a_processor = 8;  // of 256 threads each: the limit of a multiprocessor
  return blocks_a_processor * static_cast<unsigned>(device_facts().processors);
}

std::vector<ArrayLaunch> writing_launches() {
  const unsigned filling = filling_blocks();
  return {{.depth = 2, .blocks = 0},
          {.depth = 1, .blocks = 0},
          {.depth = 4, .blocks = 0},
          {.depth = 4, .blocks = filling},
          {.depth = 2, .blocks = 4 * filling}};
}

Raced<ArrayLaunch> fastest_launch(Stopwatch& stopwatch, const std::vector<ArrayLaunch>& launches, bool tuned,
                                  const std::function<void(const ArrayLaunch&)>& enqueue) {
  Raced<ArrayLaunch> raced = race(stopwatch, launches, tuned, enqueue);
  raced.text = fmt::format("{}; {}", raced.fastest.text(), raced.text);
  return raced;
}

std::vector<Dtype> array_dtypes() {
  return {Dtype::f64, Dtype::f32};
}

}  // namespace breakeven::cuda
