// Tests that catalogues of devices are read completely, or refused with the place of the error.
#include "rank/device_catalogue.h"

#include <gmock/gmock.h>

#include "plan/json_file.h"
#include "unit/temporary_folder.h"

namespace breakeven::rank_device_catalogue_test {
namespace {

using testing::HasSubstr;
using testing::SizeIs;
using testing::ThrowsMessage;

class DeviceCatalogueFile : public testing::Test {
 protected:
  DeviceCatalogue read(const std::string& text) const {
    return read_device_catalogue(folder_.write("devices.json", text));
  }
  void expect_refused(const std::string& text, const std::string& words) const {
    EXPECT_THAT([&] { read(text); }, ThrowsMessage<ConfigError>(HasSubstr(words))) << text;
  }
  /// A GPU with the text of its peaks, and one key changed.
  static std::string gpu(const std::string& peaks, const std::string& from = "", const std::string& to = "") {
    std::string text =
        R"({"devices": [{"name": "GPU", "memory_gib": 16, "architecture": "Volta", "form": "SXM",
        "watts": 300, "memory_gb_per_second": 900, "peaks": )" +
        peaks + R"(, "source": "a datasheet", "date": "2020-01"}]})";
    return from.empty() ? text : text.replace(text.find(from), from.size(), to);
  }
  static std::string processors(const std::string& operations, const std::string& from = "",
                                const std::string& to = "") {
    std::string text = R"({"devices": [], "processors": [{"name": "CPU", "cores": 8, "sockets": 2, "ghz": 2.5,
        "operations_per_cycle": )" +
                       operations + R"(, "memory_channels": 4, "memory_mega_transfers": 3200,
        "architecture": "Zen", "watts": 100, "source": "a page", "date": "2021-02"}]})";
    return from.empty() ? text : text.replace(text.find(from), from.size(), to);
  }
  static constexpr const char* peaks_ =
      R"({"f64": {"tflops": 7.5, "accumulate": "f64"}, "f16": {"tflops": 125, "sparse_tflops": 250, "accumulate": "f32"}})";
  static constexpr const char* operations_ = R"({"f64": 16, "f32": 32, "s8": 128})";
  TemporaryFolder folder_;
};

TEST_F(DeviceCatalogueFile, HasGpus) {
  const DeviceCatalogue catalogue = read(gpu(peaks_));
  ASSERT_THAT(catalogue, SizeIs(1));
  const DeviceEntry& entry = catalogue[0];
  EXPECT_EQ(entry.name, "GPU");
  EXPECT_EQ(entry.text(), "GPU, 16 GiB");
  EXPECT_FALSE(entry.is_cpu());
  EXPECT_EQ(entry.memory_gib, 16);
  EXPECT_EQ(entry.architecture, "Volta");
  EXPECT_EQ(entry.form, "SXM");
  EXPECT_EQ(entry.watts, 300);
  EXPECT_DOUBLE_EQ(entry.bytes_per_second, 900e9);
  EXPECT_EQ(entry.source, "a datasheet");
  EXPECT_EQ(entry.date, "2020-01");
  ASSERT_THAT(entry.peaks, SizeIs(2));
  EXPECT_DOUBLE_EQ(entry.peaks.at("f64").flop_per_second, 7.5e12);
  EXPECT_FALSE(entry.peaks.at("f64").sparse_flop_per_second);
  EXPECT_EQ(entry.peaks.at("f64").accumulate, "f64");
  EXPECT_DOUBLE_EQ(entry.peaks.at("f16").sparse_flop_per_second.value(), 250e12);
  EXPECT_EQ(entry.peaks.at("f16").accumulate, "f32");
}

TEST_F(DeviceCatalogueFile, HasProcessorsInOneSocketAndMore) {
  const DeviceCatalogue catalogue = read(processors(operations_, R"("sockets": 2)", R"("sockets": 3)"));
  ASSERT_THAT(catalogue, SizeIs(3));
  for (const int sockets : {1, 2, 3}) {
    const DeviceEntry& entry = catalogue[static_cast<std::size_t>(sockets - 1)];
    EXPECT_TRUE(entry.is_cpu());
    EXPECT_EQ(entry.cores, 8 * sockets);
    EXPECT_EQ(entry.memory_gib, 0);
    EXPECT_EQ(entry.watts, 100 * sockets);
    EXPECT_DOUBLE_EQ(entry.bytes_per_second, sockets * 4 * 3.2e9 * 8);
    EXPECT_DOUBLE_EQ(entry.peaks.at("f32").flop_per_second, 8 * sockets * 2.5e9 * 32);
    EXPECT_FALSE(entry.peaks.at("f32").sparse_flop_per_second);
    EXPECT_EQ(entry.peaks.at("f64").accumulate, "f64");
    EXPECT_EQ(entry.peaks.at("f32").accumulate, "f32");
    EXPECT_EQ(entry.peaks.at("s8").accumulate, "s32");
    EXPECT_EQ(entry.architecture, "Zen");
    EXPECT_EQ(entry.source, "a page");
    EXPECT_EQ(entry.date, "2021-02");
  }
  EXPECT_EQ(catalogue[0].form, "1 socket");
  EXPECT_EQ(catalogue[1].form, "2 sockets");
  EXPECT_EQ(catalogue[1].text(), "CPU, 16 cores");
}

TEST_F(DeviceCatalogueFile, SaysWhatIsWrongAndWhere) {
  expect_refused(R"({"processors": []})", "devices.json: 'devices' is missing; it must be a list");
  expect_refused(R"({"devices": {}})", "'devices' is missing; it must be a list");
  expect_refused(R"({"devices": [], "procesors": []})", "/procesors: unknown key 'procesors'");
  expect_refused(R"({"devices": [], "processors": {}})", "/processors: must be a list");
  for (const char* none : {"{}", "[]", "7"})
    expect_refused(gpu(none), "/devices/0/peaks: must be an object of peaks by dtype");
  expect_refused(gpu(peaks_, "\"peaks\"", "\"peeks\""), "/devices/0/peeks: unknown key 'peeks'");
  expect_refused(gpu(R"({"f99": {"tflops": 1, "accumulate": "f32"}})"), "/devices/0/peaks/f99: is no dtype");
  expect_refused(gpu(R"({"f32": {"accumulate": "f32"}})"),
                 "/devices/0/peaks/f32: 'tflops' is missing; add it");
  expect_refused(gpu(R"({"f32": {"tflops": 1, "acc": "f32"}})"),
                 "/devices/0/peaks/f32/acc: unknown key 'acc'");
  expect_refused(
      gpu(R"({"f32": {"tflops": 0, "accumulate": "f32"}})"),
      "/devices/0/peaks/f32/tflops: is 0; it must be a number above 0; leave an unknown price out");
  for (const char* none : {"{}", "[]", "7"})
    expect_refused(processors(none), "/processors/0/operations_per_cycle: must be an object of operations");
  expect_refused(processors(R"({"f99": 1})"), "/processors/0/operations_per_cycle/f99: is no dtype");
  expect_refused(processors(R"({"f32": 0})"), "/processors/0/operations_per_cycle/f32: is 0");
  expect_refused(processors(operations_, "\"watts\"", "\"wats\""), "/processors/0/wats: unknown key 'wats'");
  expect_refused(processors(operations_, "\"cores\": 8, ", ""), "/processors/0: 'cores' is missing");
}

TEST_F(DeviceCatalogueFile, IsSearchedByNameAndSize) {
  DeviceCatalogue catalogue = read(gpu(peaks_));
  for (const DeviceEntry& entry : read(processors(operations_))) catalogue.push_back(entry);
  constexpr double gib = 0x1p30;
  const auto found = [&](const char* name, double memory) {
    return find_device(catalogue, name, static_cast<std::int64_t>(memory * gib)) != nullptr;
  };
  EXPECT_TRUE(found("GPU", 16));
  EXPECT_TRUE(found("GPU", 14.5)) << "drivers keep a part for themselves";
  EXPECT_TRUE(found("GPU", 17.5));
  EXPECT_FALSE(found("GPU", 14.3)) << "a tenth less is another device";
  EXPECT_FALSE(found("GPU", 17.7));
  EXPECT_FALSE(found("CPU", 0));
  EXPECT_EQ(find_processors(catalogue, "CPU", 16), &catalogue[2]);
  EXPECT_EQ(find_processors(catalogue, "CPU", 15), nullptr);
  EXPECT_EQ(find_processors(catalogue, "GPU", 0), nullptr);
}

TEST_F(DeviceCatalogueFile, CountsAreWholeNumbersThatCanBe) {
  for (const std::string member : {R"("cores": 8)", R"("sockets": 2)"}) {
    const std::string key = member.substr(1, member.rfind('"') - 1);
    for (const std::string bad : {"0", "-1", "2.5", "1e300", "1000000000", "\"2\""}) {
      const std::string text = processors(operations_, member, "\"" + key + "\": " + bad);
      expect_refused(text, "/processors/0/" + key + ": is ");
      expect_refused(text, "it must be a whole number from 1 to ");
    }
  }
}

}  // namespace
}  // namespace breakeven::rank_device_catalogue_test
