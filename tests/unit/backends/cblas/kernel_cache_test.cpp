#include "backends/cblas/kernel_cache.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <iterator>
#include <string>
#include <system_error>

#include "unit/temporary_folder.h"

namespace breakeven::cblas {
namespace {

using testing::Optional;

ChoiceKey key_of(const std::string& processor) {
  return {.processor = processor,
          .features = "avx2 fma",
          .library = "openblas",
          .version = "0.3.21, kernels for Prescott, OpenMP",
          .file = "/usr/lib/libopenblas.so.0"};
}

TEST(KernelCache, KeepsAChoiceForEachProcessorAndLibrary) {
  const std::string text = with_choice(with_choice("", key_of("a"), "SkylakeX"), key_of("b"), "Haswell");
  EXPECT_THAT(cached_choice(text, key_of("a")), Optional(std::string("SkylakeX")));
  EXPECT_THAT(cached_choice(text, key_of("b")), Optional(std::string("Haswell")));
  EXPECT_EQ(cached_choice(text, key_of("c")), std::nullopt);
  EXPECT_EQ(cached_choice("", key_of("a")), std::nullopt);
  for (std::string ChoiceKey::*field : {&ChoiceKey::processor, &ChoiceKey::features, &ChoiceKey::library,
                                        &ChoiceKey::version, &ChoiceKey::file}) {
    ChoiceKey other = key_of("a");
    other.*field += "2";
    EXPECT_EQ(cached_choice(text, other), std::nullopt);
  }
}

TEST(KernelCache, ANewChoiceReplacesTheOldOne) {
  const std::string text = with_choice(with_choice("", key_of("a"), "SkylakeX"), key_of("a"), "Haswell");
  EXPECT_THAT(cached_choice(text, key_of("a")), Optional(std::string("Haswell")));
  EXPECT_EQ(text.find("SkylakeX"), std::string::npos);
}

TEST(KernelCache, TheOldestChoicesGoFirst) {
  std::string text;
  for (int i = 0; i < 101; ++i) text = with_choice(text, key_of(fmt::format("{}", i)), "Haswell");
  EXPECT_EQ(cached_choice(text, key_of("0")), std::nullopt);
  EXPECT_NE(cached_choice(text, key_of("1")), std::nullopt);
  EXPECT_NE(cached_choice(text, key_of("100")), std::nullopt);
}

TEST(KernelCache, DamageIsFoundAndReplaced) {
  const std::string good = with_choice("", key_of("a"), "SkylakeX");
  const std::string half = good.substr(0, good.size() / 2);
  for (const std::string& damaged :
       {half, std::string("[]"), std::string("{}"), std::string("null"), std::string("\0\xff", 2),
        std::string(R"({"schema": "breakeven.kernels/2", "choices": []})"),
        std::string(R"({"schema": "breakeven.kernels/1"})"),
        std::string(R"({"schema": "breakeven.kernels/1", "choices": {}})"),
        std::string(R"({"schema": "breakeven.kernels/1", "choices": [1]})"),
        std::string(R"({"schema": "breakeven.kernels/1", "choices": [{"kernels": 1}]})"),
        std::string(R"({"schema": "breakeven.kernels/1", "choices": [{"kernels": "Zen"}]})")}) {
    EXPECT_THROW((void)cached_choice(damaged, key_of("a")), DamagedCache) << damaged;
    EXPECT_EQ(with_choice(damaged, key_of("a"), "SkylakeX"), good) << damaged;
  }
}

TEST(KernelCache, IsWrittenAsAWhole) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "new" / "breakeven" / "kernels.json";
  EXPECT_EQ(read_cache(file), "");
  write_cache(file, "one");
  write_cache(file, "two");
  EXPECT_EQ(read_cache(file), "two");
  EXPECT_EQ(read_file(file), "two");
  const std::filesystem::directory_iterator beside(file.parent_path());
  EXPECT_EQ(std::distance(begin(beside), end(beside)), 1) << "nothing is left beside it";
}

TEST(KernelCache, WhereItCannotBeWrittenNothingIsLeft) {
  const TemporaryFolder folder;
  const auto in_a_file = folder.write("file", "") / "kernels.json";
  EXPECT_THROW(write_cache(in_a_file, "one"), std::system_error);
  const auto taken = folder.path() / "kernels.json";
  std::filesystem::create_directories(taken / "full");
  EXPECT_THROW(write_cache(taken, "one"), std::system_error);
  EXPECT_THROW((void)read_cache(taken), DamagedCache);
  const std::filesystem::directory_iterator beside(folder.path());
  EXPECT_EQ(std::distance(begin(beside), end(beside)), 2);
}

TEST(KernelCache, ALargeFileIsNotRead) {
  const TemporaryFolder folder;
  const auto file = folder.write("kernels.json", std::string((1U << 20U) + 1, ' '));
  EXPECT_THROW((void)read_cache(file), DamagedCache);
}

}  // namespace
}  // namespace breakeven::cblas
