// Which images each step of training takes, the same on every backend.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace breakeven {

/// Epochs with an order of their own. Later ones repeat them, so that all orders can be made before a sample,
/// however long it is.
inline constexpr std::uint64_t distinct_orders = 64;

/// The rows of the training set in the order in which epoch `epoch` visits them. The steps take them a batch
/// at a time, and what is left over at the end is dropped.
std::vector<std::uint32_t> epoch_order(std::uint32_t count, std::uint64_t seed, std::uint64_t epoch);

/// `batch` rows of a split of `count` rows from row `first`; behind the last comes the first again.
std::vector<std::uint32_t> rows_from(std::uint32_t first, std::int64_t batch, std::uint32_t count);

/// A function with the contract of epoch_order().
using MakeEpochOrder =
    std::function<std::vector<std::uint32_t>(std::uint32_t count, std::uint64_t seed, std::uint64_t epoch)>;

/// The batches of one epoch after the other. `batch` is at most `count`.
class BatchOrder {
 public:
  BatchOrder(std::uint32_t count, std::int64_t batch, std::uint64_t seed, MakeEpochOrder make = epoch_order);

  void restart();
  /// Shuffles only where prepare() was called for fewer batches.
  std::span<const std::uint32_t> next();
  /// Makes the orders that the next `batches` batches follow. To be called where nothing is timed.
  void prepare(std::int64_t batches);
  /// The rows of the next `batches` batches, stored contiguously, without taking them.
  std::vector<std::uint32_t> upcoming(std::int64_t batches);

 private:
  struct Place {
    std::uint64_t epoch = 0;
    std::size_t used = 0;  // images of it
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
