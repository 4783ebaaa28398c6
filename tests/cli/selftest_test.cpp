// Tests selftest, which finds what a gate can detect on this host, on simulated backends whose noise is
// known.
#include <csignal>

#include "cli/driver.h"

namespace breakeven::cli_tests {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

class SelftestTest : public DriverTest {
 protected:
  Outcome selftest(const std::string& simulated, std::vector<std::string> more = {}) const {
    std::vector<std::string> all{"selftest", products({8, 16, 32}, {"a"}).string(), "--minutes", "0.001"};
    all.insert(all.end(), more.begin(), more.end());
    return breakeven(std::move(all), simulated);
  }
  const std::string noise_ = "noise=0.02,process_noise=0.005";
};

TEST_F(SelftestTest, FindsWhatIsInjectedAndNothingElse) {
  EXPECT_THAT(with_status(0, selftest(noise_, {"--out", file("s.json").string()})).out,
              HasSubstr("nothing changed   gates that failed: 0 of 3"));
  const Json found = parse_file(file("s.json"));
  EXPECT_EQ(found.at("schema"), "breakeven.selftest/1");
  ASSERT_THAT(found.at("injected"), SizeIs(4));
  EXPECT_EQ(found.at("injected").at(0).at("same"), 9) << "three gates of three cases";
  for (const std::size_t i : {2U, 3U}) {
    const Json& counts = found.at("injected").at(i);
    EXPECT_EQ(counts.at("injected"), i == 2 ? 0.05 : 0.1);
    EXPECT_EQ(counts.at("slower"), counts.at("cases"));
  }
  EXPECT_THAT(found.at("noise"), SizeIs(3));
}

TEST_F(SelftestTest, IsWhereTheGateLooksForIt) {
  const std::string one_case = products({8}, {"a"}).string();
  EXPECT_EQ(breakeven({"selftest", one_case, "--minutes", "0.001", "--gate-minutes", "0.2"}, noise_).status,
            0);
  const Outcome outcome = breakeven({"gate", one_case, "--base", file("backends"), "--head", file("backends"),
                                     "--threshold", "0.1%", "--minutes", "0.1"},
                                    noise_);
  EXPECT_THAT(outcome.out, HasSubstr("could not detect changes of 0.1 %")) << outcome.err;
}

/// Writes nothing if no gate is complete.
TEST_F(SelftestTest, InterruptedInItsFirstGateItWritesNothing) {
  Process process(launch({"selftest", products({8}, {"a"}), "--minutes", "1", "--out", file("s.json")},
                         "fault=hang,at=sample"));
  ASSERT_TRUE(eventually([&] { return requested("sample") > 0; }));
  process.send(SIGINT);
  with_status(130, process.wait());
  EXPECT_FALSE(exists(file("s.json")));
}

TEST_F(SelftestTest, InterruptedLaterItWritesWhatItCounted) {
  Process process(
      launch({"selftest", products({8}, {"a"}), "--minutes", "10", "--out", file("s.json")}, noise_));
  // One gate takes far fewer processes.
  ASSERT_TRUE(eventually([&] { return processes("a") > 80; }));
  process.send(SIGINT);
  with_status(130, process.wait());
  const Json found = parse_file(file("s.json"));
  ASSERT_FALSE(found.at("injected").empty());
  EXPECT_GT(found.at("injected").at(0).at("suites").get<int>(), 0);
}

TEST_F(SelftestTest, OfNoFileIsRefusedByTheGate) {
  for (const char* text : {"", "{}", R"({"schema": "breakeven.result/1"})"}) {
    const Outcome outcome = breakeven({"gate", products({8}), "--base", file("backends"), "--head",
                                       file("backends"), "--selftest", write("s.json", text)},
                                      noise_);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("s.json"));
  }
}

}  // namespace
}  // namespace breakeven::cli_tests
