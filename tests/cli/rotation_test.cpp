// Tests operands that rotate: a program that does not support this, and a config with another setting.
#include "cli/driver.h"

namespace breakeven::cli_tests {
namespace {

using testing::HasSubstr;

using RotationTest = DriverTest;

TEST_F(RotationTest, WhoReusesItsOperandsIsUnsupported) {
  const Json workload = {
      {"op", "matmul"}, {"m", 8}, {"n", 8}, {"k", 8}, {"operands", {"reused", "rotating"}}};
  const Outcome outcome = breakeven({"run", config(Json::array({workload}), {"a"}), "--out", "-"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const Json result = parse(outcome.out);
  EXPECT_EQ(find_case(result, product_id(8), "a").at("status"), "ok");
  const Json& rotating = find_case(result, "matmul/m=8/n=8/k=8/operands=rotating/f32", "a");
  EXPECT_EQ(rotating.at("status"), "unsupported");
  EXPECT_EQ(rotating.at("reason"), "operands are rotating and this program reuses them");
}

TEST_F(RotationTest, AnUnknownWayIsRefusedWithThoseThereAre) {
  const Json workload = {{"op", "matmul"}, {"m", 8}, {"n", 8}, {"k", 8}, {"operands", "fresh"}};
  const Outcome outcome = breakeven({"list", config(Json::array({workload}), {"a"})});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("/workloads/0/operands"));
  EXPECT_THAT(outcome.err, HasSubstr("reused, rotating"));
}

}  // namespace
}  // namespace breakeven::cli_tests
