// The images that networks are trained on: IDX files, the format of MNIST and Fashion-MNIST.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "workloads/network.h"

namespace breakeven {

/// A file of a data set that is missing or invalid. The message names the file, the problem and the remedy.
class DatasetError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The folder of Debian's package dataset-fashion-mnist.
inline constexpr const char* default_dataset = "/usr/share/datasets/fashion-mnist";

/// The folder to read if a case names `folder`: BREAKEVEN_FASHION_MNIST replaces the default one.
std::filesystem::path dataset_folder(const std::filesystem::path& folder);

/// The input of the network for a pixel p in 0...255: (2p - 255) / 255, correctly rounded to f32, so in [-1,
/// 1].
constexpr float pixel_value(std::uint8_t p) {
  return static_cast<float>(2 * static_cast<int>(p) - 255) / 255.0F;
}

struct LabelledImages {
  std::vector<std::uint8_t> pixels;  // count x 28 x 28
  std::vector<std::uint8_t> labels;  // count, each below 10

  std::uint32_t count() const { return static_cast<std::uint32_t>(labels.size()); }
  const std::uint8_t* image(std::uint32_t row) const { return pixels.data() + row * image_pixels; }
  /// Writes the pixel values of these rows, rows.size() x 784, to `values`.
  void gather(std::span<const std::uint32_t> rows, float* values) const;
};

enum class Split { train, test };

/// Both splits of a data set. Each is read when it is first requested. May be used by several threads.
class Dataset {
 public:
  explicit Dataset(std::filesystem::path folder) : folder_(std::move(folder)) {}
  /// The images of a split. The reference is valid as long as the data set. Throws DatasetError.
  const LabelledImages& images(Split split) const;

 private:
  std::filesystem::path folder_;
  mutable std::mutex reading_;
  mutable std::optional<LabelledImages> train_, test_;
};

/// The data set in `folder`, one object per process: cases share it, and it stays for those that follow.
std::shared_ptr<const Dataset> open_dataset(const std::filesystem::path& folder);

/// Reads train-images-idx3-ubyte and train-labels-idx1-ubyte (test: t10k-...) from `folder`, each with or
/// without the suffix .gz. Throws DatasetError.
LabelledImages read_images(const std::filesystem::path& folder, Split split);

}  // namespace breakeven
