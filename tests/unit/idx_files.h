// A small data set on disk.
#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include "unit/temporary_folder.h"
#include "workloads/dataset.h"
#include "workloads/random.h"

namespace breakeven {

inline void append_number(std::string& bytes, std::uint32_t number) {
  for (const unsigned shift : {24U, 16U, 8U, 0U}) bytes.push_back(static_cast<char>(number >> shift & 0xffU));
}

/// An IDX file of images with a dark border, as clothes have, and grey noise inside.
inline std::string idx_images(std::uint32_t count, std::uint64_t stream) {
  std::string bytes;
  for (const std::uint32_t field : {0x803U, count, 28U, 28U}) append_number(bytes, field);
  const RandomStream numbers(11, stream);
  for (std::uint64_t i = 0; i < std::uint64_t{count} * image_pixels; ++i) {
    const auto row = i / image_side % image_side;
    const auto column = i % image_side;
    const bool inside = row >= 4 && row < 24 && column >= 6 && column < 22;
    bytes.push_back(inside ? static_cast<char>(numbers.bits(i) & 0xffU) : '\0');
  }
  return bytes;
}

inline std::string idx_labels(std::uint32_t count, std::uint64_t stream) {
  std::string bytes;
  append_number(bytes, 0x801);
  append_number(bytes, count);
  const RandomStream numbers(12, stream);
  for (std::uint64_t i = 0; i < count; ++i) bytes.push_back(static_cast<char>(numbers.bits(i) % classes));
  return bytes;
}

inline void write_gzip(const std::filesystem::path& path, const std::string& bytes) {
  gzFile file = gzopen(path.c_str(), "wb");
  ASSERT_NE(file, nullptr);
  ASSERT_EQ(gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size())), static_cast<int>(bytes.size()));
  ASSERT_EQ(gzclose(file), Z_OK);
}

/// `train` images to train on and `test` ones to test with, in `folder`.
inline void write_dataset(const std::filesystem::path& folder, std::uint32_t train, std::uint32_t test) {
  write_file(folder / "train-images-idx3-ubyte", idx_images(train, 1));
  write_file(folder / "train-labels-idx1-ubyte", idx_labels(train, 1));
  write_file(folder / "t10k-images-idx3-ubyte", idx_images(test, 2));
  write_file(folder / "t10k-labels-idx1-ubyte", idx_labels(test, 2));
}

}  // namespace breakeven
