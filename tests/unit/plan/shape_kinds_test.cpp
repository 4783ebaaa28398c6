// Tests finding the kinds of matrix shapes in a config.
#include "plan/shape_kinds.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "unit/temporary_folder.h"

namespace breakeven::plan_shape_kinds_test {
namespace {

using testing::HasSubstr;

const std::filesystem::path configs = std::filesystem::path(BREAKEVEN_SOURCE_DIR) / "configs";

std::string untried(const std::string& workloads) {
  const TemporaryFolder folder;
  return untried_shapes(
      read_config(folder.write("c.json", R"({"title": "t", "workloads": [)" + workloads + "]}")).cases);
}

TEST(ShapeKinds, AreMissedWhereAllSizesAreRound) {
  const std::string said = untried(R"({"op": "matmul", "m": [64, 512], "n": "m", "k": "m", "dtype": "f32"})");
  EXPECT_THAT(said, HasSubstr("has an odd size or a thin shape;"));
  EXPECT_THAT(said, HasSubstr("odd-shapes"));
}

TEST(ShapeKinds, AreMissedOneByOne) {
  EXPECT_THAT(untried(R"({"op": "matmul", "m": 64, "n": 65, "k": 64, "dtype": "f32"})"),
              HasSubstr("has a thin shape;"));
  EXPECT_THAT(untried(R"({"op": "matmul", "m": 1, "n": 64, "k": 64, "dtype": "f32"})"),
              HasSubstr("has an odd size;"));
  EXPECT_THAT(untried(R"({"op": "matmul", "m": 2, "n": 64, "k": 64, "dtype": "f32"})"),
              HasSubstr("has an odd size;"));
  EXPECT_EQ(untried(R"({"op": "matmul", "m": 1, "n": 65, "k": 64, "dtype": "f32"})"), "");
}

TEST(ShapeKinds, AreThinFrom32To1) {
  EXPECT_EQ(untried(R"({"op": "matmul", "m": [3, 64], "n": 2, "k": 2, "dtype": "f32"})"), "");
  EXPECT_EQ(
      untried(R"({"op": "matmul", "m": [3, 62], "n": 2, "k": 2, "dtype": "f32"})"),
      "No matrix product here has a thin shape; such products can get slower alone. The config odd-shapes "
      "has them.");
  EXPECT_THAT(untried(R"({"op": "matmul", "m": [2, 64], "n": 2, "k": 2, "dtype": "f32"})"),
              HasSubstr("has an odd size;"));
}

TEST(ShapeKinds, AreOfMatrixProductsOnly) {
  EXPECT_EQ(untried(R"({"op": "infer", "network": "mlp", "batch": 8, "dtype": "f32"})"), "");
}

TEST(ShapeKinds, AreAllInTheConfigThatIsNamed) {
  EXPECT_EQ(untried_shapes(read_config(configs / (std::string(all_shapes_config) + ".json")).cases), "");
}

}  // namespace
}  // namespace breakeven::plan_shape_kinds_test
