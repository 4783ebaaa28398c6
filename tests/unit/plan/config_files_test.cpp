// Tests finding the files that a config reads, which no output may replace.
#include <gmock/gmock.h>

#include "plan/config.h"
#include "unit/temporary_folder.h"

namespace breakeven::plan_config_files_test {
namespace {

using testing::UnorderedElementsAre;

TEST(ConfigFiles, AreTheConfigAndWhatItsWorkloadsName) {
  const TemporaryFolder folder;
  const auto shapes = folder.write("shapes/s.json", "{}");
  const auto images = folder.write("data/images", "");
  const auto labels = folder.write("data/labels", "");
  folder.write("data/deeper/not-read", "");
  folder.write("other.json", "{}");
  const auto config =
      folder.write("c.json", R"({"title": "other.json", "backends": ["other.json"], "workloads": [
                      {"op": "matmul", "shapes": "shapes/s.json", "m": [1, true, null], "dtype": ""},
                      {"op": "train", "data": "data", "network": "missing"}]})");
  EXPECT_THAT(files_of_configs({config}), UnorderedElementsAre(config, shapes, images, labels));
}

TEST(ConfigFiles, OfSeveralConfigsAreAllTheirs) {
  const TemporaryFolder folder;
  const auto shapes = folder.write("a/s.json", "{}");
  const auto a = folder.write("a/c.json", R"({"workloads": {"shapes": ["s.json"]}})");
  const auto b = folder.write("b.json", R"(["s.json", "a/s.json"])");
  EXPECT_THAT(files_of_configs({a, b}), UnorderedElementsAre(a, shapes, b))
      << "what has no workloads names no files";
}

TEST(ConfigFiles, OfAHostileConfigAreLookedForAllTheSame) {
  const TemporaryFolder folder;
  const auto config =
      folder.write("c.json", R"({"workloads": [")" + std::string(100'000, 'x') + R"(", "./c.json"]})");
  EXPECT_THAT(files_of_configs({config}), UnorderedElementsAre(config, folder.path() / "./c.json"));
}

}  // namespace
}  // namespace breakeven::plan_config_files_test
