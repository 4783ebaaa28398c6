#include "workloads/layout.h"

#include <gmock/gmock.h>

#include <stdexcept>
#include <vector>

namespace breakeven {
namespace {

template <typename T>
class Layout : public testing::Test {};
using Elements = testing::Types<std::uint8_t, std::uint16_t, float, double>;
TYPED_TEST_SUITE(Layout, Elements);

TYPED_TEST(Layout, EachMatrixIsTransposed) {
  const std::vector<TypeParam> from{1, 2, 3, 4, 5, 6, 11, 12, 13, 14, 15, 16};
  std::vector<TypeParam> to(from.size());
  transpose_matrices(reinterpret_cast<const std::byte*>(from.data()), 2, 2, 3, sizeof(TypeParam),
                     reinterpret_cast<std::byte*>(to.data()));
  EXPECT_THAT(to, testing::ElementsAre(1, 4, 2, 5, 3, 6, 11, 14, 12, 15, 13, 16));
}

TEST(LayoutOfElements, OfNoDtypeIsRefused) {
  std::byte from{};
  std::byte to{};
  EXPECT_THROW(transpose_matrices(&from, 1, 1, 1, 3, &to), std::invalid_argument);
}

}  // namespace
}  // namespace breakeven
