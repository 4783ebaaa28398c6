// Tests one thread of the CUDA backend's measurement of arithmetic, on the CPU.
#include "backends/cuda/kernels/peak.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <set>

namespace breakeven::cuda {
namespace {

TEST(CudaPeak, WorkersShareAllPiecesEvenly) {
  for (const std::int64_t pieces : {0, 1, 7, 8, 9, 1000}) {
    for (const std::int64_t workers : {1, 3, 8, 400}) {
      std::int64_t all = 0;
      std::set<std::int64_t> shares;
      for (std::int64_t worker = 0; worker < workers; ++worker) {
        shares.insert(share_of(pieces, workers, worker));
        all += share_of(pieces, workers, worker);
      }
      EXPECT_EQ(all, pieces);
      EXPECT_LE(*shares.rbegin() - *shares.begin(), 1);
    }
  }
}

template <typename T>
void expect_every_product_is_added() {
  std::array<T, FmaUnit<T>::length> a{};
  std::array<T, FmaUnit<T>::length> b{};
  std::iota(a.begin(), a.end(), T{1});
  std::iota(b.begin(), b.end(), T{-3});
  const double dot = std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
  for (const std::int64_t share : {0, 1, 5, 6, 13}) {
    FmaUnit<T> unit(a.data(), b.data());
    EXPECT_EQ(accumulate_share(unit, share, 6), dot * FmaUnit<T>::dots * static_cast<double>(share)) << share;
  }
}

TEST(CudaPeak, EveryProductOfAShareIsAdded) {
  expect_every_product_is_added<float>();
  expect_every_product_is_added<double>();
}

/// Empties counted: what is added without, an accumulator of 32 bits would have to hold.
struct Emptied {
  std::int64_t added = 0, most = 0;
  void clear() { added = 0; }
  void add() { most = std::max(most, ++added); }
  static double sum() { return 0; }
};

TEST(CudaPeak, AccumulatorsTakeNoMoreThanTheCaseSays) {
  Emptied unit;
  accumulate_share(unit, 100, 7);
  EXPECT_EQ(unit.most, 7);
}

TEST(CudaPeak, OperandsOfWarpGroupsLieWhereTheirDescriptorSays) {
  for (const int rows : {48, 64, 192}) {
    std::set<int> places;
    for (int row = 0; row < rows; ++row) {
      for (int byte = 0; byte < 64; ++byte) places.insert(operand_place(row, byte, rows));
    }
    EXPECT_EQ(std::ssize(places), rows * 64) << "no two in one place";
    EXPECT_EQ(*places.rbegin(), rows * 64 - 1) << "and none outside";

    const std::uint64_t descriptor = operand_descriptor(0x1230, rows);
    EXPECT_EQ((descriptor & 0x3FFFU) << 4U, 0x1230U);
    EXPECT_EQ(static_cast<int>((descriptor >> 16U & 0x3FFFU) << 4U), operand_place(0, 16, rows));
    EXPECT_EQ(static_cast<int>((descriptor >> 32U & 0x3FFFU) << 4U), operand_place(8, 0, rows));
    EXPECT_EQ(descriptor >> 46U, 0U) << "no offset, no swizzling";
    EXPECT_EQ(operand_place(1, 0, rows) - operand_place(0, 0, rows), 16);
  }
}

}  // namespace
}  // namespace breakeven::cuda
