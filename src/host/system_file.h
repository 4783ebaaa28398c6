// Reads files of the kernel (/proc, /sys) that begin with one value.
#pragma once

#include <filesystem>
#include <fstream>
#include <optional>
#include <utility>

namespace breakeven {

/// The word or number with which a file begins; empty if it cannot be read or begins with something else.
template <typename T>
std::optional<T> first_in(const std::filesystem::path& file) {
  std::ifstream in(file);
  T value{};
  return in >> value ? std::optional(std::move(value)) : std::nullopt;
}

}  // namespace breakeven
