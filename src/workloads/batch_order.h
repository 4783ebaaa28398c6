// Chooses the images of each training step, which are the same on every backend.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace breakeven {

/// The number of epochs with different orders. Later ones repeat them, so that all orders can be made before
/// a sample, however long it is.
inline constexpr std::uint64_t distinct_orders = 64;

/// The rows of the training set in the order in which epoch `epoch` visits them. The steps use them a batch
/// at a time, and an incomplete last batch is dropped.
std::vector<std::uint32_t> epoch_order(std::uint32_t count, std::uint64_t seed, std::uint64_t epoch);

/// `batch` rows of a split of `count` rows, beginning at row `first` and continuing at the first row after
/// the last.
std::vector<std::uint32_t> rows_from(std::uint32_t first, std::int64_t batch, std::uint32_t count);

/// A function with the contract of epoch_order().
using MakeEpochOrder =
    std::function<std::vector<std::uint32_t>(std::uint32_t count, std::uint64_t seed, std::uint64_t epoch)>;

/// The batches of one epoch after another. `batch` is at most `count`.
class BatchOrder {
 public:
  BatchOrder(std::uint32_t count, std::int64_t batch, std::uint64_t seed, MakeEpochOrder make = epoch_order);

  void restart() { next_ = {}; }
  /// The rows of the next batch. Shuffles only if prepare() was called for fewer batches.
  std::span<const std::uint32_t> next() { return take(next_); }
  /// Makes the orders of the next `batches` batches. Must be called outside of timed code.
  void prepare(std::int64_t batches);
  /// The rows of the next `batches` batches, stored contiguously, without consuming them.
  std::vector<std::uint32_t> upcoming(std::int64_t batches);

 private:
  struct Place {
    std::uint64_t epoch = 0;
    std::size_t used = 0;  // images of the current epoch
  };

  void make_orders(std::uint64_t epochs);
  std::span<const std::uint32_t> take(Place& place);

  std::uint32_t count_;
  std::size_t batch_;
  std::uint64_t seed_;
  MakeEpochOrder make_;
  std::vector<std::vector<std::uint32_t>> orders_;  // of the first epochs
  Place next_;
};

}  // namespace breakeven
