// Which images each step of training takes, the same on every backend.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace breakeven {

/// The rows of the training set in the order in which epoch `epoch` visits them. The steps take them a batch
/// at a time, and what is left over at the end is dropped.
std::vector<std::uint32_t> epoch_order(std::uint32_t count, std::uint64_t seed, std::uint64_t epoch);

/// `batch` rows of a split of `count` rows from row `first`; behind the last comes the first again.
std::vector<std::uint32_t> rows_from(std::uint32_t first, std::int64_t batch, std::uint32_t count);

/// The batches of one epoch after the other. `batch` is at most `count`.
class BatchOrder {
 public:
  BatchOrder(std::uint32_t count, std::int64_t batch, std::uint64_t seed);

  void restart();
  /// Good until the next call of any member.
  std::span<const std::uint32_t> next();
  /// Shuffles for the next epoch. To be called where nothing is timed, so that no timed step has to wait for
  /// it.
  void make_ready();

 private:
  std::uint32_t count_;
  std::size_t batch_;
  std::uint64_t seed_;
  std::uint64_t epoch_ = 0;
  std::size_t used_ = 0;
  std::vector<std::uint32_t> now_, next_;
};

}  // namespace breakeven
