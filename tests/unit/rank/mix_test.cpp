#include "rank/mix.h"

#include <gmock/gmock.h>

#include "plan/config.h"
#include "rank/prices.h"
#include "unit/temporary_folder.h"

namespace breakeven {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

class MixFile : public testing::Test {
 protected:
  std::filesystem::path workloads(const std::string& list) const {
    return folder_.write("mix.json", R"({"title": "Our week", "workloads": [)" + list + "]}");
  }
  Mix read(const std::string& list) const { return read_mix(workloads(list)); }
  void expect_refused(const std::string& list, const std::string& words) const {
    EXPECT_THAT([&] { read(list); }, ThrowsMessage<ConfigError>(HasSubstr(words))) << list;
  }
  TemporaryFolder folder_;
};

TEST_F(MixFile, IsAConfigWithWeights) {
  const std::string list =
      R"({"op": "matmul", "m": [8, 16], "n": 8, "k": 8, "dtype": "f32", "weight": 2.5},
         {"op": "matmul", "m": 8, "n": 8, "k": 8, "dtype": "f64"})";
  const Mix mix = read(list);
  EXPECT_EQ(mix.title, "Our week");
  ASSERT_EQ(mix.entries.size(), 3U);
  EXPECT_EQ(mix.entries[0].id, "matmul/m=8/n=8/k=8/f32");
  EXPECT_THAT(mix.entries[0].title, HasSubstr("matmul"));
  EXPECT_EQ(mix.entries[0].weight, 2.5);
  EXPECT_EQ(mix.entries[1].weight, 2.5);
  EXPECT_EQ(mix.entries[2].weight, 1);
  EXPECT_THAT(mix.entries[0].instead, IsEmpty());
  EXPECT_EQ(read_config(workloads(list)).cases.size(), 3U) << "and what `run` measures";
}

TEST_F(MixFile, IsReadFromAResultAsWell) {
  const auto of_config = [](const std::string& config) {
    Result result;
    result.config = config;
    return mix_of(result);
  };
  const auto mix = of_config(
      R"({"title": "Our week", "asks": "machines",
          "workloads": [{"op": "matmul", "m": 8, "n": 8, "k": 8, "dtype": "f32", "weight": 2.5}]})");
  ASSERT_TRUE(mix);
  EXPECT_EQ(mix->title, "Our week");
  ASSERT_EQ(mix->entries.size(), 1U);
  EXPECT_EQ(mix->entries[0].id, "matmul/m=8/n=8/k=8/f32");
  EXPECT_EQ(mix->entries[0].weight, 2.5);
  for (const char* unusable :
       {"", "{", "[]", "{}", R"({"workloads": 1})", R"({"workloads": [{"op": "of a newer version"}]})",
        R"({"workloads": [{"op": "matmul", "shapes": "shapes/odd.json", "dtype": "f32"}]})"})
    EXPECT_FALSE(of_config(unusable)) << unusable;
}

TEST_F(MixFile, OtherDtypesMayStandInAndAreMeasured) {
  const std::string list =
      R"({"op": "matmul", "m": [8, 16], "n": 8, "k": 8, "dtype": "f32", "or_dtype": ["bf16", "f16"]})";
  const Mix mix = read(list);
  ASSERT_EQ(mix.entries.size(), 2U);
  EXPECT_THAT(mix.entries[1].instead, ElementsAre("matmul/m=16/n=8/k=8/bf16", "matmul/m=16/n=8/k=8/f16"));
  EXPECT_EQ(read_config(workloads(list)).cases.size(), 6U);
}

TEST_F(MixFile, ACaseThatIsThereTwiceCountsForBoth) {
  const std::string one = R"({"op": "matmul", "m": 8, "n": 8, "k": 8, "dtype": "f32", "weight": 3})";
  const Mix mix = read(one + "," + one);
  ASSERT_EQ(mix.entries.size(), 1U);
  EXPECT_EQ(mix.entries[0].weight, 6);
}

TEST_F(MixFile, StrictAndLenientWorkStayApart) {
  const auto one = [](const std::string& more) {
    return R"({"op": "matmul", "m": 8, "n": 8, "k": 8, "dtype": "f32")" + more + "}";
  };
  const Mix mix = read(one(R"(, "weight": 100)") + "," + one(R"(, "or_dtype": ["bf16"])") + "," +
                       one(R"(, "or_dtype": ["f16", "bf16"])") + "," + one(R"(, "or_dtype": ["bf16"])"));
  ASSERT_EQ(mix.entries.size(), 3U);
  EXPECT_EQ(mix.entries[0].weight, 100);
  EXPECT_THAT(mix.entries[0].ids(), ElementsAre("matmul/m=8/n=8/k=8/f32"));
  EXPECT_EQ(mix.entries[1].weight, 2);
  EXPECT_THAT(mix.entries[1].ids(), ElementsAre("matmul/m=8/n=8/k=8/f32", "matmul/m=8/n=8/k=8/bf16"));
  EXPECT_EQ(mix.entries[2].weight, 1);
  EXPECT_THAT(mix.entries[2].ids(),
              ElementsAre("matmul/m=8/n=8/k=8/f32", "matmul/m=8/n=8/k=8/f16", "matmul/m=8/n=8/k=8/bf16"));
  std::vector<std::string> titles;
  for (const MixEntry& entry : mix.entries) titles.push_back(entry.title);
  EXPECT_THAT(titles, ElementsAre("matmul 8 x 8 x 8 f32", "matmul 8 x 8 x 8 f32 (or bf16)",
                                  "matmul 8 x 8 x 8 f32 (or f16, bf16)"));
}

TEST_F(MixFile, TheOrderOfOtherDtypesMakesNoOtherWork) {
  const auto one = [](const std::string& others) {
    return R"({"op": "matmul", "m": 8, "n": 8, "k": 8, "dtype": "f32", "or_dtype": )" + others + "}";
  };
  const Mix mix = read(one(R"(["bf16", "f16"])") + "," + one(R"(["f16", "bf16"])"));
  ASSERT_EQ(mix.entries.size(), 1U);
  EXPECT_EQ(mix.entries[0].weight, 2);
  EXPECT_EQ(mix.entries[0].title, "matmul 8 x 8 x 8 f32");
}

TEST_F(MixFile, SaysWhatIsWrongAndWhere) {
  const auto product = [](const std::string& more) {
    return R"({"op": "matmul", "m": 8, "n": 8, "k": 8, )" + more + "}";
  };
  expect_refused(product(R"("dtype": "f32", "weight": 0)"),
                 "/workloads/0/weight: is 0; it must be a number above 0");
  expect_refused(product(R"("dtype": "f32", "weight": "much")"), "/workloads/0/weight: is \"much\"");
  expect_refused(product(R"("dtype": "f32", "or_dtype": "bf16")"), "/workloads/0/or_dtype: is \"bf16\"");
  expect_refused(product(R"("dtype": "f32", "or_dtype": ["f32"])"),
                 "/workloads/0/or_dtype/0: is the workload's own");
  expect_refused(product(R"("dtype": ["f32", "f64"], "or_dtype": ["bf16"])"), "needs one 'dtype'");
  expect_refused(product(R"("dtype": "f32", "or_dtype": ["f99"])"), "f99");
  expect_refused(product(R"("dtype": "f32", "wieght": 2)"), "unknown key 'wieght'");
  expect_refused(product(R"("dtype": "f32", "weight": 0)"), ": how often each of the cases runs");
  expect_refused(
      product(R"("dtype": "f32", "or_dtype": [])"),
      "/workloads/0/or_dtype: is []; it must be a list of dtypes that are acceptable, too, such as "
      "[\"bf16\"]");
  expect_refused(product(R"("or_dtype": ["bf16"])"),
                 "/workloads/0/or_dtype: needs one 'dtype' that these may stand in for; give each dtype an "
                 "entry of its own");
  expect_refused(product(R"("dtype": "f32", "or_dtype": ["bf16", "f32"])"),
                 "/workloads/0/or_dtype/1: is the");
  expect_refused("7", "/workloads/0: is 7; it must be an object, {...}");
}

class PriceFile : public testing::Test {
 protected:
  Prices read(const std::string& text) const { return read_prices(folder_.write("prices.json", text)); }
  void expect_refused(const std::string& text, const std::string& words) const {
    EXPECT_THAT([&] { read(text); }, ThrowsMessage<ConfigError>(HasSubstr(words))) << text;
  }
  static std::string price(const std::string& more, const std::string& currency = "USD") {
    return R"({"device": "NVIDIA L4", )" + more + R"("currency": ")" + currency +
           R"(", "source": "a page", "date": "2026-10-01"})";
  }
  static std::string list(const std::string& prices) { return R"({"prices": [)" + prices + "]}"; }
  TemporaryFolder folder_;
};

TEST_F(PriceFile, HasOffersOfWhatIsRentedOrBought) {
  const Prices prices = read(
      R"({"prices": [)" +
      price(R"("name": "g6.xlarge", "per_hour": 0.8, "cpus": 4, "cpu_identity": "Z 80", )") + "," +
      price(R"("purchase": 2500, )") +
      R"(], "electricity": {"per_kwh": 0.3, "currency": "USD", "source": "a bill", "date": "2026-01-31"}})");
  EXPECT_EQ(prices.currency, "USD");
  ASSERT_EQ(prices.offers.size(), 2U);
  EXPECT_EQ(prices.offers[0].name, "g6.xlarge");
  EXPECT_EQ(prices.offers[0].per_hour, 0.8);
  EXPECT_EQ(prices.offers[0].cpus, 4);
  EXPECT_EQ(prices.offers[0].cpu_identity, "Z 80");
  EXPECT_EQ(prices.offers[0].from.date, "2026-10-01");
  EXPECT_EQ(prices.offers[1].name, "NVIDIA L4");
  EXPECT_EQ(prices.offers[1].purchase, 2500);
  EXPECT_EQ(prices.electricity->per_kwh, 0.3);
}

TEST_F(PriceFile, SaysWhatIsWrongAndWhere) {
  expect_refused("{}", "'prices' must be a list");
  expect_refused(list(""), "'prices' must be a list");
  expect_refused(list(price("")), "/prices/0: has no price");
  expect_refused(list(price(R"("per_hour": 0, )")),
                 "/prices/0/per_hour: is 0; it must be a number above 0; leave an unknown price out, as "
                 "nothing is free");
  expect_refused(list(price(R"("per_hour": -2, )")), "/prices/0/per_hour: is -2");
  expect_refused(list(price(R"("per_hour": "2", )")), "/prices/0/per_hour: is \"2\"");
  expect_refused(list(price(R"("purchase": null, )")), "/prices/0/purchase: is null");
  expect_refused(list(price(R"("per_hour": 1, )") + "," + price(R"("per_hour": 1, )", "EUR")),
                 "/prices/1/currency: is 'EUR', and that of the prices before it is 'USD'; convert");
  expect_refused(list(R"({"per_hour": 1, "currency": "USD", "source": "a page", "date": "2026-10-01"})"),
                 "says nothing of what it is the price of");
  expect_refused(list(R"({"device": "NVIDIA L4", "per_hour": 1, "currency": "USD", "date": "2026-10-01"})"),
                 "'source' is missing");
  expect_refused(list(price(R"("per_hour": 1, "cpus": 0, )")), "/prices/0/cpus: is 0");
  expect_refused(list(price(R"("per_hour": 1, "cpus": 2147483648, )")), "/prices/0/cpus: is 2147483648");
  expect_refused(list(price(R"("per_hour": 1, "hots": "h", )")), "/prices/0/hots: unknown key 'hots'");
  expect_refused(R"({"prices": [7]})", "/prices/0: is 7; it must be an object");
  expect_refused(R"({"prices": {}})", "'prices' must be a list of at least one price, such as {\"device\": ");
  expect_refused(R"({"price": []})", "/price: unknown key 'price'");
  const std::string offer = list(price(R"("per_hour": 1, )"));
  const auto with_electricity = [&](const std::string& electricity) {
    return offer.substr(0, offer.size() - 1) + R"(, "electricity": )" + electricity + "}";
  };
  expect_refused(with_electricity("{}"), "/electricity: 'per_kwh' is missing; add it");
  expect_refused(with_electricity(R"({"per_hour": 1})"), "/electricity/per_hour: unknown key 'per_hour'");
  expect_refused(
      with_electricity(R"({"per_kwh": 0.3, "currency": "EUR", "source": "a bill", "date": "2026-01-31"})"),
      "/electricity/currency: is 'EUR', and that of the prices before it is 'USD'; convert them to one");
}

TEST_F(PriceFile, HasDays) {
  const auto dated = [](const std::string& date) {
    return list(R"({"host": "box", "per_hour": 1, "currency": "USD", "source": "a page", "date": ")" + date +
                R"("})");
  };
  for (const char* day : {"2026-01-01", "2024-02-29", "0999-12-31"})
    EXPECT_EQ(read(dated(day)).offers.at(0).from.date, day);
  for (const char* day : {"2026-1-01", "2026-01-1", "2026-13-01", "2026-00-01", "2026-01-00", "2026-01-32",
                          "2025-02-29", "2026/01-01", "2026-01/01", "20x6-01-01", "2026-x1-01", "2026-01-x1",
                          "-026-01-01", "2026--1-01", "2026-01--1", "2026-01-011", "2026-01-01 "})
    expect_refused(dated(day), std::string("/prices/0/date: is '") + day + "'; it must be a day, as in");
}

TEST_F(PriceFile, NamesAnOfferAfterWhatItIsOf) {
  const Prices prices = read(
      R"({"prices": [{"host": "box", "per_hour": 1, "currency": "USD", "source": "a", "date": "2026-10-01"},
                     {"host": "box", "device": "GPU", "purchase": 1, "currency": "USD", "source": "a", "date": "2026-10-01"}]})");
  EXPECT_EQ(prices.offers[0].name, "box");
  EXPECT_EQ(prices.offers[0].host, "box");
  EXPECT_FALSE(prices.offers[0].purchase);
  EXPECT_FALSE(prices.offers[0].cpus);
  EXPECT_EQ(prices.offers[1].name, "GPU");
  EXPECT_EQ(prices.offers[1].host, "box");
  EXPECT_FALSE(prices.offers[1].per_hour);
  EXPECT_FALSE(prices.electricity);
}

}  // namespace
}  // namespace breakeven
