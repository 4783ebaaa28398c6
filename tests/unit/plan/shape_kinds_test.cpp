// Tests finding the kinds of matrix shapes in a config.
#include "plan/shape_kinds.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "unit/temporary_folder.h"

namespace breakeven::plan_shape_kinds_test {
namespace {

const std::filesystem::path configs = std::filesystem::path(BREAKEVEN_SOURCE_DIR) / "configs";

/// "odd", "thin", "odd thin", "round", or "none" without a matrix product.
std::string text_of(const std::optional<ShapeKinds>& kinds) {
  if (!kinds) return "none";
  return kinds->odd && kinds->thin ? "odd thin" : kinds->odd ? "odd" : kinds->thin ? "thin" : "round";
}

std::string kinds_of(const std::string& workloads) {
  const TemporaryFolder folder;
  return text_of(shape_kinds(
      read_config(folder.write("c.json", R"({"title": "t", "workloads": [)" + workloads + "]}")).cases));
}

TEST(ShapeKinds, AreMissedWhereAllSizesAreRound) {
  EXPECT_EQ(kinds_of(R"({"op": "matmul", "m": [64, 512], "n": "m", "k": "m", "dtype": "f32"})"), "round");
}

TEST(ShapeKinds, AreFoundOneByOne) {
  EXPECT_EQ(kinds_of(R"({"op": "matmul", "m": 64, "n": 65, "k": 64, "dtype": "f32"})"), "odd");
  EXPECT_EQ(kinds_of(R"({"op": "matmul", "m": 1, "n": 64, "k": 64, "dtype": "f32"})"), "thin");
  EXPECT_EQ(kinds_of(R"({"op": "matmul", "m": 2, "n": 64, "k": 64, "dtype": "f32"})"), "thin");
  EXPECT_EQ(kinds_of(R"({"op": "matmul", "m": 1, "n": 65, "k": 64, "dtype": "f32"})"), "odd thin");
}

TEST(ShapeKinds, AreThinFrom32To1) {
  EXPECT_EQ(kinds_of(R"({"op": "matmul", "m": [3, 64], "n": 2, "k": 2, "dtype": "f32"})"), "odd thin");
  EXPECT_EQ(kinds_of(R"({"op": "matmul", "m": [3, 62], "n": 2, "k": 2, "dtype": "f32"})"), "odd");
  EXPECT_EQ(kinds_of(R"({"op": "matmul", "m": [2, 64], "n": 2, "k": 2, "dtype": "f32"})"), "thin");
}

TEST(ShapeKinds, AreOfMatrixProductsOnly) {
  EXPECT_EQ(kinds_of(R"({"op": "infer", "network": "mlp", "batch": 8, "dtype": "f32"})"), "none");
}

TEST(ShapeKinds, AreAllInTheConfigThatIsNamed) {
  const auto kinds = shape_kinds(read_config(configs / (std::string(all_shapes_config) + ".json")).cases);
  EXPECT_EQ(text_of(kinds), "odd thin");
}

}  // namespace
}  // namespace breakeven::plan_shape_kinds_test
