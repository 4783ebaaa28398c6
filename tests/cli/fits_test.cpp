// Tests `fits`, the largest size that fits in a device, from config to result and report.
#include "cli/driver.h"

namespace breakeven::cli_tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class FitsTest : public DriverTest {
 protected:
  const Json network_step_ = {{"op", "fits"}, {"of", "train"}, {"network", "cnn"}, {"dtype", "f32"}};
  const std::string id_ = "fits/of=train/network=cnn/f32";
};

TEST_F(FitsTest, IsAskedNotTimed) {
  const Json found =
      find_case(result_of_run(config(Json::array({network_step_}), {"a"}), "room=1234"), id_, "a");
  EXPECT_EQ(found.at("status"), "ok");
  EXPECT_EQ(found.at("seconds"), nullptr);
  const Json wanted = {{"largest", 1234}, {"refused", 1235}, {"limit", "no more room is simulated"}};
  EXPECT_EQ(found.at("fit"), wanted);
  for (const Logged& entry : logged()) EXPECT_NE(entry.request, "sample");
}

TEST_F(FitsTest, IsFoundByPreparingWhereAGpusProgramHasNoFits) {
  const Json step_of_infer = {{"op", "fits"}, {"of", "infer"}, {"network", "cnn"}, {"dtype", "f32"}};
  const Json result = result_of_run(config(Json::array({network_step_, step_of_infer}), {"a"}),
                                    "supports=train,device=gpu,room=1234");
  const Json fit = find_case(result, id_, "a").at("fit");
  EXPECT_LE(fit.at("largest"), 1234);
  EXPECT_GT(fit.at("refused"), 1234);
  EXPECT_LE(fit.at("refused").get<int>() - fit.at("largest").get<int>(), 12);
  EXPECT_EQ(fit.at("limit"), "no more room is simulated");
  for (const Logged& entry : logged()) EXPECT_NE(entry.request, "fit");
  EXPECT_EQ(find_case(result, "fits/of=infer/network=cnn/f32", "a").at("status"), "unsupported");
}

/// A C++ program checks its requests as configs are checked. Its refusal costs neither this case nor the
/// next.
TEST_F(FitsTest, ASizeThatNoConfigMayAskForIsThePrograms) {
  const Json mlp = {{"op", "fits"}, {"of", "infer"}, {"network", "mlp"}, {"dtype", "f32"}};
  const Json lenet = {{"op", "fits"}, {"of", "infer"}, {"network", "lenet"}, {"dtype", "f32"}};
  const Json result =
      result_of_run(config(Json::array({mlp, lenet}), {"a"}), "supports=infer,device=gpu,room=200000");
  for (const char* id : {"fits/of=infer/f32", "fits/of=infer/network=lenet/f32"}) {
    const Json fit = find_case(result, id, "a").at("fit");
    EXPECT_EQ(fit.at("largest"), 65536) << id;
    EXPECT_THAT(fit.at("limit").get<std::string>(),
                AllOf(HasSubstr("library limit: "), HasSubstr("an integer from 1 to 65536")));
  }
}

/// Its framework may keep the memory of the largest problem, which others on the same GPU then lack.
TEST_F(FitsTest, AProgramThatHasPreparedSizesEndsWithTheQuestion) {
  const Json sgd = {{"op", "fits"}, {"of", "train"}, {"network", "mlp"}, {"dtype", "f32"}};
  result_of_run(config(Json::array({network_step_, sgd}), {"a"}), "supports=train,device=gpu,room=10");
  EXPECT_EQ(processes("a"), 2) << "one for each case; the first was asked what it is";
}

TEST_F(FitsTest, IsNotFoundInMemoryThatIsTheHosts) {
  const Outcome outcome =
      breakeven({"run", config(Json::array({network_step_}), {"a"}), "--out", "-"}, "supports=train");
  EXPECT_THAT(find_case(parse(outcome.out), id_, "a").at("reason"), HasSubstr("a has no fits"));
}

TEST_F(FitsTest, AProgramThatDiesWhilePreparingHasFailed) {
  const Outcome outcome = breakeven({"run", config(Json::array({network_step_}), {"a"}), "--out", "-"},
                                    "supports=train,device=gpu,room=1234,fault=exit,at=prepare,number=5");
  EXPECT_EQ(outcome.status, 4);
  EXPECT_EQ(find_case(parse(outcome.out), id_, "a").at("status"), "failed");
}

TEST_F(FitsTest, IsReported) {
  const auto result = file("result.json");
  breakeven({"run", config(Json::array({network_step_}), {"a"}), "--out", result.string()}, "room=1234");
  EXPECT_THAT(with_status(0, breakeven({"report", result.string()})).out,
              AllOf(HasSubstr("batch to train cnn, f32"), HasSubstr("largest"), HasSubstr("1234")));
}

TEST_F(FitsTest, ADeadDeviceCostsOneCase) {
  const Outcome outcome = breakeven(
      {"run", config(Json::array({network_step_, {{"op", "matmul"}, {"m", 8}, {"n", 8}, {"k", 8}}}), {"a"}),
       "--out", "-"},
      "fault=exit,at=fit,number=1");
  EXPECT_EQ(outcome.status, 4);
  const Json result = parse(outcome.out);
  EXPECT_EQ(find_case(result, id_, "a").at("status"), "failed");
  EXPECT_EQ(find_case(result, product_id(8), "a").at("status"), "ok");
}

TEST_F(FitsTest, OfProductsHasNoNetwork) {
  const Json of_product = {{"op", "fits"}, {"of", "matmul"}, {"dtype", {"f32", "f8e4m3"}}};
  EXPECT_THAT(with_status(0, breakeven({"list", config(Json::array({of_product}))})).out,
              HasSubstr("fits/of=matmul/f8e4m3"));
  const Json of_network = {{"op", "fits"}, {"of", "infer"}, {"dtype", "f8e4m3"}};
  EXPECT_THAT(with_status(2, breakeven({"list", config(Json::array({of_network}))})).err,
              HasSubstr("dtype of infer is f8e4m3"));
}

}  // namespace
}  // namespace breakeven::cli_tests
