// Operands that rotate: what such a case is called, and what it cannot be; what its sets look like in memory.
#include "workloads/rotation.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "workloads/host_tensors.h"

namespace breakeven {
namespace {

using testing::HasSubstr;

Parameters product_with(const std::string& operands) {
  return {{"m", 5}, {"n", 3}, {"k", 7}, {"operands", operands}, {"dtype", "f32"}};
}

Case case_of(const Parameters& parameters) {
  return make_case(*find_workload("matmul"), parameters);
}

TEST(Rotation, OfOperandsThatAreReusedIsWhatItWasBefore) {
  const Case reused = case_of(product_with("reused"));
  EXPECT_EQ(reused.id(), "matmul/m=5/n=3/k=7/f32");
  EXPECT_EQ(reused.workload->title(reused.parameters), "5 x 3 x 7 f32");
  EXPECT_FALSE(rotates(reused.parameters));
}

TEST(Rotation, MakesACaseOfItsOwnWithTheSameWork) {
  const Case rotating = case_of(product_with("rotating"));
  EXPECT_EQ(rotating.id(), "matmul/m=5/n=3/k=7/operands=rotating/f32");
  EXPECT_EQ(rotating.workload->title(rotating.parameters), "5 x 3 x 7 f32, rotating operands");
  EXPECT_TRUE(rotates(rotating.parameters));
  EXPECT_EQ(rotating.flop(), case_of(product_with("reused")).flop());
  EXPECT_EQ(rotating.bytes(), case_of(product_with("reused")).bytes());
}

TEST(Rotation, GoesWithOperandsThatStayOnTheDevice) {
  Parameters moved = product_with("rotating");
  moved.set("transfer", std::string("each"));
  try {
    case_of(moved);
    FAIL() << "operands that rotate and move";
  } catch (const InvalidCase& e) {
    EXPECT_EQ(e.parameter(), "operands");
    EXPECT_THAT(e.what(), HasSubstr("\"transfer\": \"resident\""));
  }
}

TEST(Rotation, IsUnknownToWhatKeepsItsState) {
  for (const auto* op : {"train", "infer"}) {
    for (const Parameter& known : find_workload(op)->parameters()) EXPECT_NE(known.name, "operands") << op;
  }
}

TEST(HostTensors, OfSeveralSetsHaveTheSameInputsInOtherPlaces) {
  const Matmul p(case_of(product_with("rotating")).parameters);
  HostTensors one = HostTensors::of(p, 3);
  HostTensors three = HostTensors::of(p, 3, 3);
  std::set<const float*> places;
  for (int set = 0; set < 3; ++set) {
    EXPECT_TRUE(std::equal(one.first_as<float>(), one.first_as<float>() + 35, three.first_as<float>()));
    EXPECT_TRUE(std::equal(one.second_as<float>(), one.second_as<float>() + 21, three.second_as<float>()));
    places.insert({three.first_as<float>(), three.second_as<float>(), three.output_as<float>()});
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(three.first_as<float>()) % 64, 0U) << "as a set alone";
    three.next();
  }
  EXPECT_EQ(places.size(), 9U);
  EXPECT_TRUE(places.contains(three.first_as<float>())) << "after the last it is the first one's turn";
}

TEST(HostTensors, ShowTheLastSetSoThatOneThatNeverHasItsTurnIsSeen) {
  const Matmul p(case_of(product_with("rotating")).parameters);
  HostTensors tensors = HostTensors::of(p, 3, 2);
  const auto compute = [&] { std::fill_n(tensors.output_as<float>(), 15, 2.0F); };
  compute();
  EXPECT_TRUE(std::isnan(tensors.evidence({14}).elements[0])) << "the first set's turn";
  tensors.next();
  compute();
  EXPECT_EQ(tensors.evidence({14}).elements[0], 2);
  tensors.poison();
  EXPECT_TRUE(std::isnan(tensors.evidence({0}).elements[0]));
  tensors.next();
  EXPECT_TRUE(std::isnan(*tensors.output_as<float>())) << "every set is poisoned";
}

}  // namespace
}  // namespace breakeven
