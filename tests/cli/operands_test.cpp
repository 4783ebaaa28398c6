// Tests cases that move data or rotate their operands, from config to result.
#include "cli/driver.h"

namespace breakeven::cli_tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;

using TransferTest = DriverTest;
using RotationTest = DriverTest;

TEST_F(TransferTest, EachPolicyIsACaseOfItsOwn) {
  const Json workload = {
      {"op", "matmul"},  {"m", 8}, {"n", 8}, {"k", 8}, {"transfer", {"resident", "each", "once"}},
      {"repetitions", 4}};
  const Json result = result_of_run(config(Json::array({workload}), {"a"}));
  ASSERT_EQ(result.at("cases").size(), 3U);
  EXPECT_EQ(find_case(result, product_id(8), "a").at("flop"), 1024);
  EXPECT_EQ(find_case(result, "matmul/m=8/n=8/k=8/transfer=each/f32", "a").at("flop"), 1024);
  EXPECT_EQ(find_case(result, "matmul/m=8/n=8/k=8/transfer=once/repetitions=4/f32", "a").at("flop"), 4096);
}

TEST_F(TransferTest, OnceTakesAsLongAsItsRuns) {
  // The simulated backend's time is proportional to the operations of an iteration.
  const Json workload = {{"op", "matmul"},           {"m", 64}, {"n", 64}, {"k", 64}, {"transfer", "once"},
                         {"repetitions", {10, 1000}}};
  const Json result =
      result_of_run(config(Json::array({workload}), {"a"}), "fixed=0,per_byte=0,per_flop=1e-12");
  const auto median = [&](const std::string& id) {
    return find_case(result, id, "a").at("seconds").at("median").get<double>();
  };
  // The default of `repetitions` is ten.
  EXPECT_NEAR(median("matmul/m=64/n=64/k=64/transfer=once/repetitions=1000/f32") /
                  median("matmul/m=64/n=64/k=64/transfer=once/f32"),
              100, 1);
}

TEST_F(TransferTest, AnUnknownPolicyIsRefusedWithThoseThereAre) {
  const Json workload = {{"op", "matmul"}, {"m", 8}, {"n", 8}, {"k", 8}, {"transfer", "managed"}};
  EXPECT_THAT(with_status(2, breakeven({"run", config(Json::array({workload})), "--out", "-"})).err,
              AllOf(HasSubstr("/workloads/0/transfer"), HasSubstr("resident, each")));
}

/// A program that does not know rotating operands refuses them.
TEST_F(RotationTest, WhoReusesItsOperandsIsUnsupported) {
  const Json workload = {
      {"op", "matmul"}, {"m", 8}, {"n", 8}, {"k", 8}, {"operands", {"reused", "rotating"}}};
  const Json result = result_of_run(config(Json::array({workload}), {"a"}));
  EXPECT_EQ(find_case(result, product_id(8), "a").at("status"), "ok");
  const Json& rotating = find_case(result, "matmul/m=8/n=8/k=8/operands=rotating/f32", "a");
  EXPECT_EQ(rotating.at("status"), "unsupported");
  EXPECT_EQ(rotating.at("reason"), "operands are rotating and this program reuses them");
}

TEST_F(RotationTest, AnUnknownWayIsRefusedWithThoseThereAre) {
  const Json workload = {{"op", "matmul"}, {"m", 8}, {"n", 8}, {"k", 8}, {"operands", "fresh"}};
  EXPECT_THAT(with_status(2, breakeven({"list", config(Json::array({workload}), {"a"})})).err,
              AllOf(HasSubstr("/workloads/0/operands"), HasSubstr("reused, rotating")));
}

}  // namespace
}  // namespace breakeven::cli_tests
