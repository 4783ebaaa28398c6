#include "workloads/layout.h"

#include <fmt/format.h>

#include <stdexcept>

namespace breakeven {
namespace {

template <typename T>
void transpose(const T* from, std::int64_t count, std::int64_t rows, std::int64_t columns, T* to) {
  for (std::int64_t matrix = 0; matrix < count; ++matrix, from += rows * columns, to += rows * columns) {
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t c = 0; c < columns; ++c) to[c * rows + r] = from[r * columns + c];
    }
  }
}

}  // namespace

void transpose_matrices(const std::byte* from, std::int64_t count, std::int64_t rows, std::int64_t columns,
                        std::size_t bytes, std::byte* to) {
  const auto as = [&]<typename T>(T) {
    transpose(reinterpret_cast<const T*>(from), count, rows, columns, reinterpret_cast<T*>(to));
  };
  switch (bytes) {
    case 1:
      return as(std::uint8_t{});
    case 2:
      return as(std::uint16_t{});
    case 4:
      return as(std::uint32_t{});
    case 8:
      return as(std::uint64_t{});
    default:
      throw std::invalid_argument(fmt::format("no elements have {} bytes", bytes));
  }
}

}  // namespace breakeven
