#include "session/variant_cache.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <string>

#include "unit/temporary_folder.h"

namespace breakeven {
namespace {

using testing::Optional;

ChoiceKey key_of(const std::string& processor) {
  return {.processor = processor,
          .features = "avx2 fma",
          .library = "openblas",
          .version = "0.3.21, kernels for Prescott, OpenMP",
          .file = "/usr/lib/libopenblas.so.0"};
}

TEST(VariantCache, KeepsAChoiceForEachProcessorAndLibrary) {
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

TEST(VariantCache, ANewChoiceReplacesTheOldOne) {
  const std::string text = with_choice(with_choice("", key_of("a"), "SkylakeX"), key_of("a"), "Haswell");
  EXPECT_THAT(cached_choice(text, key_of("a")), Optional(std::string("Haswell")));
  EXPECT_EQ(text.find("SkylakeX"), std::string::npos);
}

TEST(VariantCache, TheOldestChoicesGoFirst) {
  std::string text;
  for (int i = 0; i < 101; ++i) text = with_choice(text, key_of(fmt::format("{}", i)), "Haswell");
  EXPECT_EQ(cached_choice(text, key_of("0")), std::nullopt);
  EXPECT_NE(cached_choice(text, key_of("1")), std::nullopt);
  EXPECT_NE(cached_choice(text, key_of("100")), std::nullopt);
}

TEST(VariantCache, DamageIsFoundAndReplaced) {
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

TEST(VariantCache, WhatIsNoFileOfChoicesIsNotRead) {
  const TemporaryFolder folder;
  EXPECT_EQ(read_choices(folder.path() / "kernels.json"), "");
  EXPECT_EQ(read_choices(folder.write("good.json", "text")), "text");
  EXPECT_THROW((void)read_choices(folder.path()), DamagedCache);
  EXPECT_THROW((void)read_choices(folder.write("large.json", std::string((1U << 20U) + 1, ' '))),
               DamagedCache);
}

}  // namespace
}  // namespace breakeven
