// Tests the files in configs/: every config and every shape file can be used, and the published lists are
// complete.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <map>
#include <set>

#include "plan/config.h"
#include "plan/schema.h"
#include "plan/shape_file.h"
#include "rank/device_catalogue.h"
#include "unit/temporary_folder.h"

namespace breakeven::plan_shipped_configs_test {
namespace {

const std::filesystem::path configs = std::filesystem::path(BREAKEVEN_SOURCE_DIR) / "configs";
constexpr const char* schema_name = "breakeven.schema.json";
constexpr const char* catalogue_name = "devices.json";

std::vector<std::filesystem::path> json_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const auto name = entry.path().filename();
    if (name.extension() == ".json" && name != schema_name && name != catalogue_name)
      found.push_back(entry.path());
  }
  EXPECT_GE(found.size(), 10U) << folder;
  return found;
}

/// `name` in the folder of shapes, or a whole path.
Axis read(const std::filesystem::path& name) {
  const auto path = configs / "shapes" / name;
  const auto op = read_json(path).document.at("op").get<std::string>();
  return read_shapes(path, *find_workload(op), path.parent_path());
}

/// A row as its cells, joined by commas.
std::string row(const Axis& axis, std::size_t index) {
  std::vector<std::string> cells;
  for (const Cell& cell : axis.rows.at(index)) cells.push_back(to_string(std::get<Value>(cell)));
  return fmt::format("{}", fmt::join(cells, ","));
}

std::size_t count_rows(const std::string& prefix) {
  std::size_t rows = 0;
  for (const auto& path : json_files(configs / "shapes")) {
    if (path.filename().string().starts_with(prefix)) rows += read(path).rows.size();
  }
  return rows;
}

/// `breakeven list` shows each in one line of a terminal with 80 columns.
TEST(ShippedConfigs, AskShortQuestionsAndHaveCases) {
  constexpr std::size_t longest = 54;
  std::map<std::string, std::string> seen;
  for (const auto& path : json_files(configs)) {
    const Config config = read_config(path);
    const std::string& title = config.title;
    EXPECT_TRUE(title.ends_with("?")) << path;
    EXPECT_FALSE(config.cases.empty()) << path;
    EXPECT_EQ(Json::parse(config.json).at("$schema"), schema_name) << path;
    EXPECT_LE(title.size(), longest) << path << ": " << title;
    const auto [same, is_new] = seen.emplace(title, path.string());
    EXPECT_TRUE(is_new) << path << " asks what " << same->second << " asks";
  }
}

/// A report begins with the topic. Break-even points answer their question themselves, and the two suites for
/// `gate` ask what no single run can answer.
TEST(ShippedConfigs, NameTheTopicOfTheirQuestion) {
  const std::set<std::string> of_gates{"odd-shapes", "regression"};
  for (const auto& path : json_files(configs)) {
    const Json document = Json::parse(read_config(path).json);
    EXPECT_EQ(document.contains("asks"),
              !document.contains("threshold") && !of_gates.contains(path.stem().string()))
        << path;
  }
}

/// GPUs with few units for f64, such as a GTX 1650 with 0.093 TFLOP/s, may have a display: its watchdog, and
/// that of WSL, ends a kernel after about two seconds, and the process with it.
TEST(ShippedConfigs, PeaksInF64AreShortOnAnyGpu) {
  std::size_t found = 0;
  for (const PlannedCase& planned : read_config(configs / "ceilings-gpu.json").cases) {
    const Case& problem = planned.problem;
    if (problem.workload->op() != "peak" || problem.dtype() != Dtype::f64) continue;
    EXPECT_LE(problem.flop() / 0.093e12, 2);
    ++found;
  }
  EXPECT_EQ(found, 1U);
}

/// Sparse peaks are twice the dense ones, up to rounding as stated; types of lower precision are no slower;
/// names are unique except for the size of the memory.
TEST(ShippedCatalogue, IsConsistentInItself) {
  const DeviceCatalogue catalogue = read_device_catalogue(configs / catalogue_name);
  EXPECT_GE(catalogue.size(), 20U);
  std::set<std::string> names;
  for (const DeviceEntry& device : catalogue) {
    EXPECT_TRUE(names.insert(device.text()).second) << device.text();
    EXPECT_TRUE(device.peaks.contains("f32")) << device.name;
    double wider = 0;
    for (const char* dtype : {"f64", "f32", "tf32", "bf16", "f8e4m3"}) {
      const auto peak = device.peaks.find(dtype);
      if (peak == device.peaks.end()) continue;
      EXPECT_GE(peak->second.flop_per_second, wider) << device.name << ' ' << dtype;
      wider = peak->second.flop_per_second;
      if (peak->second.sparse_flop_per_second) {
        EXPECT_NEAR(*peak->second.sparse_flop_per_second / wider, 2, 0.05) << device.name << ' ' << dtype;
      }
    }
  }
  constexpr std::int64_t gib = std::int64_t{1} << 30U;
  EXPECT_NE(find_device(catalogue, "NVIDIA H100 80GB HBM3", 80 * gib), nullptr);
  EXPECT_EQ(find_device(catalogue, "NVIDIA H100 80GB HBM3", 40 * gib), nullptr);
  EXPECT_EQ(find_device(catalogue, "NVIDIA H100", 80 * gib), nullptr) << "no guess";

  const char* const epyc = "AMD EPYC 7763 64-Core Processor";
  const DeviceEntry* two_sockets = find_processors(catalogue, epyc, 128);
  ASSERT_NE(two_sockets, nullptr);
  EXPECT_NEAR(two_sockets->peaks.at("f64").flop_per_second, 128 * 2.45e9 * 16, 1)
      << "cores x clock x operations";
  EXPECT_NEAR(two_sockets->bytes_per_second, 2 * 8 * 3.2e9 * 8, 1)
      << "sockets x channels x transfers x 8 bytes";
  EXPECT_EQ(find_processors(catalogue, epyc, 2), nullptr) << "a part of one";
  EXPECT_EQ(find_processors(catalogue, epyc, 192), nullptr) << "three sockets";
  EXPECT_EQ(find_device(catalogue, epyc, 0), nullptr);
}

TEST(ShippedConfigs, SchemaIsThatOfTheWorkloads) {
  EXPECT_TRUE(read_file(configs / schema_name) == config_schema())
      << "The workloads have changed. Renew with: build/breakeven list --schema > configs/" << schema_name;
}

TEST(Shapes, EveryFileMakesItsCases) {
  const TemporaryFolder folder;
  for (const auto& path : json_files(configs / "shapes")) {
    const auto op = read_json(path).document.at("op").get<std::string>();
    const Json entry{{"op", op}, {"shapes", path.string()}};
    const Config config =
        read_config(folder.write("a.json", Json{{"workloads", Json::array({entry})}}.dump()));
    EXPECT_FALSE(config.cases.empty()) << path;
  }
}

TEST(Shapes, DeepBenchIsWhole) {
  EXPECT_EQ(count_rows("deepbench-gemm-"), 248U);
  EXPECT_EQ(count_rows("deepbench-conv-"), 217U);
}

TEST(Shapes, DeepBenchsProductsAreTransposed) {
  // gemm_problems.h, training_set: {1760, 16, 1760, false, false} first and {1024, 32, 512, false, true}
  // last.
  const Axis training = read("deepbench-gemm-training.json");
  EXPECT_EQ(row(training, 0), "16,1760,1760,false,false");
  EXPECT_EQ(row(training, training.rows.size() - 1), "32,1024,512,true,false");
}

TEST(Shapes, DeepBenchsConvolutionsHaveTheirNames) {
  // conv_problems.h, training_set: w 700, h 161, c 1, n 4, k 32, filter 20 x 5, no padding, strides 2.
  const Axis training = read("deepbench-conv-training.json");
  EXPECT_EQ(row(training, 0), "4,1,161,700,32,5,20,2,-1,0,-1");
  EXPECT_EQ(training.columns[5]->name, "r");
}

TEST(Shapes, ResNet50HasTheWorkOfResNet50) {
  // torchvision publishes 4.09 G multiply-adds for resnet50; its one dense layer has 2048 x 1000 of them.
  const Axis layers = read("resnet50-conv.json");
  EXPECT_EQ(layers.rows.size(), 23U);
  double multiply_adds = 0;
  int convolutions = 0;
  for (std::size_t i = 0; i < layers.rows.size(); ++i) {
    Parameters given;
    for (std::size_t j = 0; j < layers.columns.size(); ++j) {
      if (layers.columns[j] != nullptr)
        given.set(layers.columns[j]->name, std::get<Value>(layers.cell(i, j)));
    }
    const auto times = layers.labels[i].find("(x");
    const int count = times == std::string::npos ? 1 : std::stoi(layers.labels[i].substr(times + 2));
    const Workload* conv2d = find_workload("conv2d");
    multiply_adds += count * conv2d->flop(make_case(*conv2d, given).parameters) / 2;
    convolutions += count;
  }
  EXPECT_EQ(convolutions, 53);
  EXPECT_NEAR((multiply_adds + 2048.0 * 1000.0) / 1e9, 4.09, 0.005);
}

TEST(Shapes, TransformersHaveTheirSizes) {
  const Axis bert = read("bert-base-gemm.json");
  EXPECT_EQ(bert.labels[0], "query, key and value");
  double weights = 0;  // of one layer: BERT-base has 12 of 4 * 768^2 + 2 * 768 * 3072
  for (std::size_t i = 0; i < 6; ++i) {
    if (bert.labels[i].starts_with("attention scores") || bert.labels[i].starts_with("attention context"))
      continue;
    const auto cell = [&](std::size_t column) {
      return static_cast<double>(std::get<std::int64_t>(std::get<Value>(bert.cell(i, column))));
    };
    weights += cell(3) * cell(4);
  }
  EXPECT_EQ(weights, 4.0 * 768 * 768 + 2.0 * 768 * 3072);
  EXPECT_EQ(read("gpt2-small-gemm.json").rows.size(), 21U);
  EXPECT_EQ(read("odd.json").rows.size(), 20U);
}

}  // namespace
}  // namespace breakeven::plan_shipped_configs_test
