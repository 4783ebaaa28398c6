// Tests `breakeven fleet`, end to end, on results of simulated backends.
#include "cli/driver.h"

namespace breakeven::cli_tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class FleetCommand : public DriverTest {
 protected:
  /// Measures a node whose operations take this many seconds each, without noise: with it, three or four
  /// nodes confirm a slow one by chance. tests/unit/verdicts/fleet_test.cpp counts how often.
  std::string node(const std::string& name, const std::string& per_flop) const {
    const auto cost =
        write("cost.json", R"({"a": {"fixed": 0, "per_flop": )" + per_flop + R"(, "per_byte": 0}})");
    const auto path =
        config(Json::array({{{"op", "matmul"}, {"m", Json::array({64, 128})}, {"n", "m"}, {"k", "m"}}}),
               {"a"}, {{"max_seconds", 0.1}});
    const Outcome run = breakeven({"run", path, "--out", file(name), "--quiet"}, "cost=" + cost.string());
    EXPECT_EQ(run.status, 0) << run.err;
    return file(name);
  }
};

TEST_F(FleetCommand, NamesTheSlowNode) {
  const std::vector<std::string> nodes{node("node-a", "1e-10"), node("node-b", "1.002e-10"),
                                       node("node-c", "1.2e-10"), node("node-d", "0.998e-10")};
  const Outcome judged = breakeven({"fleet", nodes[0], nodes[1], nodes[2], nodes[3]});
  EXPECT_EQ(judged.status, 1) << judged.err;
  EXPECT_THAT(judged.out,
              AllOf(StartsWith("1 of 4 nodes is slower than the others of its kind."),
                    HasSubstr("node-c: matmul by a takes 1.2x"), HasSubstr("as long in this run:"),
                    HasSubstr("node-c was measured in one launch only")));
  const Outcome json = breakeven({"fleet", nodes[0], nodes[1], nodes[2], nodes[3], "--out", "-"});
  const Json standing = parse(json.out).at("standings").at(0);
  EXPECT_TRUE(standing.at("slower"));
  EXPECT_THAT(standing.at("node").get<std::string>(), HasSubstr("node-c"));
  const Outcome answers = breakeven({"fleet", nodes[0], nodes[1], nodes[2], nodes[3], "--answers", "-"});
  EXPECT_THAT(answers.out, HasSubstr("node-c: matmul by a takes 1.2x"));
  EXPECT_EQ(breakeven({"fleet", nodes[0], nodes[1], nodes[3]}).status, 0);
  EXPECT_EQ(breakeven({"fleet", nodes[0], nodes[1], nodes[2], nodes[3], "--threshold", "30%"}).status, 0);
}

/// Two nodes that differ by 2 % cannot confirm that a third one is slow.
TEST_F(FleetCommand, SaysWhichNodeIsProbablySlower) {
  const std::vector<std::string> nodes{node("node-a", "1e-10"), node("node-b", "1.02e-10"),
                                       node("node-c", "3e-10")};
  const Outcome judged = breakeven({"fleet", nodes[0], nodes[1], nodes[2]});
  EXPECT_EQ(judged.status, 3) << judged.out << judged.err;
  EXPECT_THAT(judged.out, AllOf(StartsWith("1 of 3 nodes is probably slower than the others of its kind."),
                                HasSubstr("node-c: matmul by a probably takes 3.0x"),
                                HasSubstr("Among these 3 nodes, no difference below 10x can be confirmed")));
  const Outcome json = breakeven({"fleet", nodes[0], nodes[1], nodes[2], "--out", "-"});
  const Json standing = parse(json.out).at("standings").at(0);
  EXPECT_FALSE(standing.at("slower"));
  EXPECT_TRUE(standing.at("probably_slower"));
  EXPECT_GT(standing.at("slower_from"), standing.at("ratio"));
}

TEST_F(FleetCommand, SaysWhyItCannotJudge) {
  const Outcome two = breakeven({"fleet", node("node-a", "1e-10"), node("node-b", "1e-10")});
  EXPECT_EQ(two.status, 4) << two.err;
  EXPECT_THAT(two.out, HasSubstr("at least 3 are needed"));
  const Outcome twice = breakeven({"fleet", file("node-a"), file("node-b"), file("node-a")});
  EXPECT_EQ(twice.status, 2);
  EXPECT_THAT(twice.err, HasSubstr("node-a: is given twice"));
  EXPECT_EQ(breakeven({"fleet", file("nosuch.json")}).status, 2);
  EXPECT_EQ(breakeven({"fleet"}).status, 2);
}

}  // namespace
}  // namespace breakeven::cli_tests
