#include "worker/fitting.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <vector>

#include "worker/backend.h"

namespace breakeven {
namespace {

/// Asks of memory that holds `room`.
struct Asked {
  std::int64_t room;
  std::int64_t step = 1;
  std::int64_t library_limit = std::int64_t{1} << 40U;
  std::vector<std::int64_t> sizes = {};
  Fit fit(std::int64_t most = std::int64_t{1} << 40U) {
    return largest_that_fits(most, step, [this](std::int64_t size) {
      sizes.push_back(size);
      if (size > library_limit) throw Unsupported("no kernel counts so far");
      if (size > room) throw OutOfMemory(fmt::format("{} is too much", size));
    });
  }
};

TEST(LargestThatFits, IsWithinAHundredthOfWhatThereIsRoomFor) {
  for (const std::int64_t room : {1, 2, 3, 100, 127, 128, 129, 99'999, 123'456'789}) {
    const Fit fit = Asked{.room = room}.fit();
    EXPECT_LE(fit.largest, room);
    EXPECT_GT(fit.refused, room);
    EXPECT_LE(fit.refused - fit.largest, std::max<std::int64_t>(1, fit.largest / 100)) << room;
    EXPECT_EQ(fit.limit, fmt::format("{} is too much", fit.refused));
  }
}

TEST(LargestThatFits, IsFoundInFewQuestions) {
  Asked asked{.room = 1'000'000};
  asked.fit();
  EXPECT_LE(asked.sizes.size(), 30U) << "20 to double, 7 to halve";
}

TEST(LargestThatFits, NothingMayFit) {
  const Fit fit = Asked{.room = 0}.fit();
  EXPECT_EQ(fit.largest, 0);
  EXPECT_EQ(fit.refused, 1);
  EXPECT_EQ(fit.limit, "1 is too much");
}

TEST(LargestThatFits, AllThatIsAskedForMayFit) {
  Asked asked{.room = 5000};
  const Fit fit = asked.fit(1000);
  EXPECT_EQ(fit.largest, 1000);
  EXPECT_EQ(fit.refused, 0);
  EXPECT_EQ(fit.limit, "");
  EXPECT_THAT(asked.sizes, testing::Each(testing::Le(1000)));
}

/// More memory would not help.
TEST(LargestThatFits, ALibrarysLimitIsCalledOne) {
  const Fit fit = Asked{.room = 5000, .library_limit = 1000}.fit();
  EXPECT_GE(fit.largest, 990);
  EXPECT_LE(fit.largest, 1000);
  EXPECT_EQ(fit.limit, "library limit: no kernel counts so far");
  EXPECT_THAT((Asked{.room = 1000, .library_limit = 5000}.fit().limit), testing::EndsWith(" is too much"));
}

TEST(LargestThatFits, WhatIsUnsupportedInTheSmallestSizeIsSaidSo) {
  EXPECT_THROW((Asked{.room = 1000, .library_limit = 0}.fit()), Unsupported);
}

TEST(LargestThatFits, MayHaveToBeAMultiple) {
  for (const std::int64_t room : {16, 100, 5000, 123'456}) {
    Asked asked{.room = room, .step = 16};
    const Fit fit = asked.fit(123'460);
    EXPECT_THAT(asked.sizes, testing::Each(testing::ResultOf([](auto size) { return size % 16; }, 0)));
    EXPECT_LE(fit.largest, room);
    EXPECT_GE(fit.largest, room - 16 - room / 100) << room;
  }
}

}  // namespace
}  // namespace breakeven
