// Every file in tests/configs/invalid is refused, with a message that has each line of its .expect file.

#include <gmock/gmock.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "plan/config.h"

namespace breakeven {
namespace {

const std::filesystem::path examples = std::filesystem::path(BREAKEVEN_SOURCE_DIR) / "tests/configs/invalid";

std::vector<std::filesystem::path> invalid_configs() {
  std::vector<std::filesystem::path> found;
  for (const auto& folder : {examples, examples / "beyond-schema"}) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() == ".json") found.push_back(entry.path());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

class InvalidConfig : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(InvalidConfig, IsRefusedWithPlaceAndRemedy) {
  std::ifstream expected(std::filesystem::path(GetParam()).replace_extension(".expect"));
  ASSERT_TRUE(expected) << "say beside " << GetParam() << ", in a file .expect, what the message must hold";
  try {
    read_config(GetParam());
    FAIL() << "was accepted";
  } catch (const ConfigError& e) {
    int fragments = 0;
    for (std::string fragment; std::getline(expected, fragment); ++fragments)
      EXPECT_THAT(e.what(), testing::HasSubstr(fragment));
    EXPECT_GT(fragments, 0);
    EXPECT_THAT(e.what(), testing::StartsWith(GetParam().parent_path().string() + "/"));
    EXPECT_LT(std::string(e.what()).size(), 1000U) << "too long to be read";
  }
}

/// A test's name may have letters and digits alone.
std::string test_name(const testing::TestParamInfo<std::filesystem::path>& example) {
  std::string name = example.param.stem().string();
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Examples, InvalidConfig, testing::ValuesIn(invalid_configs()), test_name);

TEST(InvalidConfigs, EveryExpectationHasItsExample) {
  std::size_t expectations = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(examples)) {
    if (entry.path().extension() != ".expect") continue;
    ++expectations;
    EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(entry.path()).replace_extension(".json")))
        << entry.path();
  }
  EXPECT_EQ(expectations, invalid_configs().size());
}

}  // namespace
}  // namespace breakeven
