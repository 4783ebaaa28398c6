#include "workloads/copy.h"

#include <gmock/gmock.h>

#include <cmath>

#include "workloads/random.h"

namespace breakeven {
namespace {

Case copy_of(const std::string& direction, std::int64_t bytes, const std::string& memory = "pinned",
             const std::string& dtype = "f32") {
  return make_case(*find_workload("copy"),
                   {{"direction", direction}, {"bytes", bytes}, {"memory", memory}, {"dtype", dtype}});
}

TEST(Copy, CountsALinksBytesOnceAndAMemorysTwice) {
  for (const auto& [direction, times] : {std::pair{"to_device", 1}, {"from_device", 1}, {"within", 2}}) {
    const Case copy = copy_of(direction, 4096);
    EXPECT_EQ(copy.workload->bytes(copy.parameters), times * 4096) << direction;
    EXPECT_EQ(copy.workload->flop(copy.parameters), 0) << direction;
  }
}

TEST(Copy, IsNamedByWhereItGoes) {
  const auto title = [](const Case& copy) { return copy.workload->title(copy.parameters); };
  EXPECT_EQ(title(copy_of("to_device", 4096)), "4 KiB f32 to the device, from pinned memory");
  EXPECT_EQ(title(copy_of("from_device", 4096, "pageable", "f64")),
            "4 KiB f64 from the device, to pageable memory");
  EXPECT_EQ(title(copy_of("within", 1 << 20)), "1 MiB f32 within one memory");
}

TEST(Copy, WithinOneMemoryThereIsNoHostsSide) {
  EXPECT_EQ(copy_of("within", 4096, "pageable").id(), "copy/direction=within/bytes=4096/f32");
  EXPECT_EQ(copy_of("to_device", 4096, "pageable").id(),
            "copy/direction=to_device/bytes=4096/memory=pageable/f32");
}

TEST(Copy, OverALinkThereIsNoRaceToLeaveOut) {
  const auto untuned = [](const char* direction) {
    return make_case(*find_workload("copy"),
                     {{"direction", direction}, {"bytes", 4096}, {"tuned", false}, {"dtype", "f32"}});
  };
  EXPECT_EQ(untuned("to_device").id(), copy_of("to_device", 4096).id());
  EXPECT_EQ(untuned("within").id(), "copy/direction=within/bytes=4096/tuned=false/f32");
  EXPECT_EQ(untuned("within").workload->title(untuned("within").parameters),
            "4 KiB f32 within one memory, not tuned");
}

TEST(Copy, SaysWhereTo) {
  EXPECT_THROW(make_case(*find_workload("copy"), {{"bytes", 4096}}), InvalidCase);
  EXPECT_THROW(copy_of("sideways", 4096), InvalidCase);
  EXPECT_THROW(copy_of("within", 100), InvalidCase);
}

class CopyTruth : public testing::Test {
 protected:
  Verification judged(const std::vector<float>& result) const {
    const OutputShape shape = problem_.workload->output(problem_.parameters);
    const auto elements = elements_to_check(shape.elements(), seed_);
    const Evidence truth = problem_.workload->expect(problem_.parameters, seed_, elements);
    return judge(truth, evidence_of(Dtype::f32, result.data(), shape, seed_, elements),
                 problem_.workload->tolerance(problem_.parameters, truth));
  }
  std::vector<float> source() const {
    std::vector<float> numbers(static_cast<std::size_t>(Bandwidth(problem_.parameters).elements()));
    fill_inputs(Dtype::f32, numbers.data(), std::ssize(numbers), RandomStream(seed_, stream::first_operand));
    return numbers;
  }

  static constexpr std::uint64_t seed_ = 7;
  Case problem_ = copy_of("within", 400'064);
};

TEST_F(CopyTruth, IsTheSource) {
  const Verification verified = judged(source());
  EXPECT_TRUE(verified.correct) << verified.detail;
  EXPECT_EQ(verified.error, 0);
}

TEST_F(CopyTruth, WhateverIsWrongWithOneElementIsSeen) {
  auto off = source(), left_out = source(), exchanged = source();
  off[54'321] = std::nextafter(off[54'321], 2.0F);
  EXPECT_FALSE(judged(off).correct) << "by its last bit";
  left_out[54'321] = std::nanf("");
  EXPECT_FALSE(judged(left_out).correct);
  std::swap(exchanged[1'000], exchanged[54'321]);
  EXPECT_FALSE(judged(exchanged).correct);
}

/// A result of several positions and channels, larger than one piece.
TEST(Projections, AreTheSameReadPieceByPiece) {
  const OutputShape shape{.outer = 2, .channels = 5, .inner = 1'048'577};
  std::vector<float> result(static_cast<std::size_t>(shape.elements()));
  fill_inputs(Dtype::f32, result.data(), shape.elements(), RandomStream(7, stream::first_operand));
  std::vector<float> piece;
  std::int64_t next = 0;
  const auto read = [&](std::int64_t first, std::int64_t count) {
    EXPECT_EQ(first, std::exchange(next, first + count));
    EXPECT_LE(count, std::int64_t{1} << 22U);
    piece.assign(result.begin() + first, result.begin() + first + count);
    return piece.data();
  };
  EXPECT_EQ(project(Dtype::f32, shape, 7, read), project(Dtype::f32, result.data(), shape, 7));
  EXPECT_EQ(next, shape.elements());
}

}  // namespace
}  // namespace breakeven
