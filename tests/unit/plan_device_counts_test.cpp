// Catalogues of devices: which values they may hold.
#include <gmock/gmock.h>

#include "plan/device_catalogue.h"
#include "plan/json_file.h"
#include "unit/temporary_folder.h"

namespace breakeven::device_counts_test {
namespace {

using testing::HasSubstr;

/// Reads a catalogue of one processor, with this value of one key.
DeviceCatalogue read_with(const std::string& key, const Json& value) {
  Json processor{{"name", "A CPU"},      {"architecture", "One"},
                 {"cores", 64},          {"sockets", 2},
                 {"ghz", 2.5},           {"operations_per_cycle", {{"f32", 32}}},
                 {"memory_channels", 8}, {"memory_mega_transfers", 3200},
                 {"watts", 200},         {"source", "its maker"},
                 {"date", "2026-01"}};
  processor[key] = value;
  const TemporaryFolder folder;
  return read_device_catalogue(folder.write(
      "devices.json", Json{{"devices", Json::array()}, {"processors", Json::array({processor})}}.dump()));
}

std::string why_refused(const std::string& key, const Json& value) {
  try {
    read_with(key, value);
  } catch (const ConfigError& e) {
    return e.what();
  }
  return "was accepted";
}

TEST(DeviceCounts, HasProcessorsForEachNumberOfSockets) {
  const DeviceCatalogue catalogue = read_with("sockets", 3);
  ASSERT_EQ(catalogue.size(), 3U);
  EXPECT_EQ(catalogue[2].cores, 192);
  EXPECT_DOUBLE_EQ(catalogue[2].peaks.at("f32").flop_per_second, 192 * 2.5e9 * 32);
}

TEST(DeviceCounts, CountsAreWholeNumbersThatCanBe) {
  for (const char* key : {"cores", "sockets"}) {
    for (const Json& value : {Json(0), Json(-1), Json(2.5), Json(1e300), Json(1'000'000'000), Json("2")}) {
      EXPECT_THAT(why_refused(key, value), HasSubstr(std::string("/processors/0/") + key + ": is "));
      EXPECT_THAT(why_refused(key, value), HasSubstr("it must be a whole number from 1 to "));
    }
  }
}

}  // namespace
}  // namespace breakeven::device_counts_test
