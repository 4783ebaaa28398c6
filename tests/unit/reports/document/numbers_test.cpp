#include "reports/document/numbers.h"

#include <gmock/gmock.h>

#include <limits>

namespace breakeven::numbers_test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(Numbers, SecondsHaveThreeDigitsAndAUnit) {
  EXPECT_EQ(format_seconds(3.214e-3), "3.21 ms");
  EXPECT_EQ(format_seconds(32.14e-6), "32.1 µs");
  EXPECT_EQ(format_seconds(321.4e-9), "321 ns");
  EXPECT_EQ(format_seconds(0.5e-9), "0.500 ns");
  EXPECT_EQ(format_seconds(1), "1.00 s");
  EXPECT_EQ(format_seconds(5400), "5400 s");
}

TEST(Numbers, TheUnitIsThatOfTheRoundedNumber) {
  EXPECT_EQ(format_seconds(999.4e-6), "999 µs");
  EXPECT_EQ(format_seconds(999.6e-6), "1.00 ms");
  EXPECT_EQ(format_seconds(0.9996), "1.00 s");
  EXPECT_EQ(format_seconds(1e-3), "1.00 ms");
  EXPECT_EQ(format_seconds(1e-6), "1.00 µs");
  EXPECT_EQ(format_number(9.996), "10.0");
  EXPECT_EQ(format_number(99.96), "100");
}

TEST(Numbers, UnknownIsNotZero) {
  for (const double value : {nan, infinity, -infinity}) {
    EXPECT_EQ(format_seconds(value), "unknown");
    EXPECT_EQ(format_number(value), "unknown");
    EXPECT_EQ(aligned_percent(value), "unknown");
    EXPECT_EQ(format_bytes(value), "unknown");
    EXPECT_EQ(format_joules(value), "unknown");
    EXPECT_EQ(number_text(value), "unknown");
    EXPECT_EQ(count_text(value), "unknown");
    EXPECT_EQ(factor_text(value), "unknown");
    EXPECT_EQ(percent_text(value), "unknown");
  }
  EXPECT_EQ(format_number(0), "0");
  EXPECT_EQ(format_seconds(0), "0 s");
}

TEST(Numbers, SmallIsNotRoundedToZero) {
  EXPECT_EQ(format_number(0.001234), "0.00123");
  EXPECT_EQ(format_number(1.234e-7), "1.23e-07");
  EXPECT_EQ(format_number(1e-3), "0.00100");
  EXPECT_EQ(format_number(1.234e12), "1.23e+12");
  EXPECT_EQ(aligned_percent(0.0001), "<0.1 %");
  EXPECT_EQ(aligned_percent(0), "0 %");
}

TEST(Numbers, PercentAndRatios) {
  EXPECT_EQ(aligned_percent(0.0123), "1.2 %");
  EXPECT_EQ(aligned_percent(0.1234), "12 %");
  EXPECT_EQ(aligned_percent(0.0996), "10 %");
  EXPECT_EQ(format_bytes(16.0 * 1024 * 1024 * 1024), "16.0 GiB");
  EXPECT_EQ(format_bytes(512), "512 B");
}

TEST(Numbers, OfSentencesHaveThousandsSeparated) {
  EXPECT_EQ(number_text(0.01234), "0.0123");
  EXPECT_EQ(number_text(62'935), "62,900");
  EXPECT_EQ(number_text(999.9), "1,000") << "by the rounded number";
  EXPECT_EQ(number_text(1.5e13), "1.50e+13");
  EXPECT_EQ(count_text(62'935), "62,935");
  EXPECT_EQ(count_text(-1'234'567), "-1,234,567");
  EXPECT_EQ(count_text(999), "999");
}

TEST(Numbers, FactorsAreFinerNearOne) {
  EXPECT_EQ(factor_text(0.974), "0.97x");
  EXPECT_EQ(factor_text(1.04), "1.04x");
  EXPECT_EQ(factor_text(1.52), "1.5x");
  EXPECT_EQ(factor_text(9.96), "10x");
  EXPECT_EQ(factor_text(12.3), "12x");
  EXPECT_EQ(factor_text(1234), "1,230x");
  EXPECT_EQ(percent_text(0.012), "1.2 %");
  EXPECT_EQ(percent_text(0.53), "53 %");
  EXPECT_EQ(percent_text(0.0001), "<0.1 %");
}

TEST(Numbers, HoldAtTheEndsOfWhatADoubleHolds) {
  EXPECT_EQ(format_number(5e-324), "4.94e-324");
  EXPECT_EQ(format_number(1.7976931348623157e308), "1.80e+308");
  EXPECT_THAT(format_seconds(5e-324), testing::EndsWith(" ns"));
  EXPECT_THAT(format_seconds(1.7976931348623157e308), testing::EndsWith(" s"));
}

}  // namespace
}  // namespace breakeven::numbers_test
