#include "verdicts/roofline.h"

#include <gmock/gmock.h>

#include <limits>

#include "unit/reports_sample.h"
#include "workloads/workload.h"

namespace breakeven {
namespace {

using sample::measured_case;
using testing::DoubleNear;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Optional;

/// A `peak` case whose best sample has this many GFLOP/s.
CaseResult peak_rate(double gflops, const char* dtype = "f32") {
  const Parameters given{{"dtype", dtype}};
  const double flop = measured_case("peak", given, 1).flop;
  return measured_case("peak", given, flop / (gflops * 1e9));
}

/// A `read` case whose best sample has this many GB/s.
CaseResult array_read(std::int64_t bytes, double gbps) {
  return measured_case("read", {{"bytes", bytes}, {"dtype", "f32"}},
                       static_cast<double>(bytes) / (gbps * 1e9));
}

CaseResult square_product(std::int64_t side, double seconds, const char* dtype = "f32",
                          const char* operands = "reused") {
  CaseResult r = measured_case(
      "matmul", {{"m", side}, {"n", side}, {"k", side}, {"operands", operands}, {"dtype", dtype}}, 1);
  r.seconds->median = seconds;
  return r;
}

/// 100 GFLOP/s in f32; 1000 GB/s up to 16 KiB, 50 GB/s in memory.
Ceilings usual_ceilings() {
  Ceilings all;
  for (const CaseResult& result :
       {array_read(1 << 14, 1000), array_read(1 << 20, 200), array_read(1 << 30, 50), peak_rate(100)})
    all.add(result);
  return all;
}

TEST(CeilingsOf, AreTheBestSamples) {
  Ceilings all;
  EXPECT_EQ(all.flop_per_second("f32"), std::nullopt);
  EXPECT_EQ(all.bytes_per_second(100), std::nullopt);
  all.add(peak_rate(80));
  all.add(peak_rate(100));
  all.add(peak_rate(90));
  EXPECT_THAT(all.flop_per_second("f32"), Optional(DoubleNear(100e9, 1)));
  EXPECT_EQ(all.flop_per_second("f64"), std::nullopt);
}

/// The samples of a short case are mostly launches.
TEST(CeilingsOf, AreOfTheDevicesOwnClockWhereThatIsKnown) {
  Ceilings all;
  CaseResult read = array_read(1 << 20, 200);
  read.device_seconds = (1 << 20) / 900e9;
  all.add(read);
  EXPECT_THAT(all.bytes_per_second(1 << 20), Optional(DoubleNear(900e9, 1e3)));
  CaseResult peak = peak_rate(100);
  peak.device_seconds = peak.flop / 150e9;
  all.add(peak);
  EXPECT_THAT(all.flop_per_second("f32"), Optional(DoubleNear(150e9, 1e3)));
}

TEST(CeilingsOf, MemoryGoesBySize) {
  const Ceilings all = usual_ceilings();
  EXPECT_THAT(all.bytes_per_second(100), Optional(DoubleNear(1000e9, 1)));
  EXPECT_THAT(all.bytes_per_second(1 << 14), Optional(DoubleNear(1000e9, 1)));
  EXPECT_THAT(all.bytes_per_second(1 << 19), Optional(DoubleNear(1000e9, 1)))
      << "may fit into what 16 KiB fit into";
  EXPECT_THAT(all.bytes_per_second(1 << 20), Optional(DoubleNear(200e9, 1)));
  EXPECT_THAT(all.bytes_per_second(1e12), Optional(DoubleNear(50e9, 1)));
}

/// The largest array need not be the fastest of those in memory.
TEST(CeilingsOf, MemoryIsAllArraysOfAnEighthOfTheLargest) {
  Ceilings all;
  EXPECT_EQ(all.usual_bytes_per_second_of_memory(), std::nullopt);
  for (const auto& [log_bytes, gbps] : {std::pair{26U, 90.0}, std::pair{27U, 60.0}, std::pair{30U, 50.0}})
    all.add(array_read(std::int64_t{1} << log_bytes, gbps));
  EXPECT_THAT(all.bytes_per_second(1e18), Optional(DoubleNear(60e9, 1)));
  EXPECT_THAT(all.bytes_per_second(1 << 30), Optional(DoubleNear(60e9, 1)));
  EXPECT_THAT(all.bytes_per_second(1 << 26), Optional(DoubleNear(90e9, 1)));
  EXPECT_THAT(all.usual_bytes_per_second_of_memory(), Optional(DoubleNear(60e9 / 1.1, 1)))
      << "by the median, which is a tenth longer than the best sample here";
}

TEST(CeilingsOf, LargerArraysThatAreFasterCount) {
  Ceilings all;
  all.add(array_read(1 << 14, 40));
  all.add(array_read(1 << 20, 60));
  EXPECT_THAT(all.bytes_per_second(1 << 14), Optional(DoubleNear(60e9, 1)));
}

TEST(CeilingsOf, CopiesOverALinkAndWhatWasNotMeasuredSayNothing) {
  Ceilings all;
  CaseResult over_a_link =
      measured_case("copy", {{"direction", "to_device"}, {"bytes", 64}, {"dtype", "f32"}}, 1);
  all.add(over_a_link);
  CaseResult failed = peak_rate(100);
  failed.status = Status::failed;
  all.add(failed);
  CaseResult strange = peak_rate(100);
  strange.seconds->median = std::numeric_limits<double>::quiet_NaN();
  all.add(strange);
  EXPECT_EQ(all.bytes_per_second(64), std::nullopt);
  EXPECT_EQ(all.flop_per_second("f32"), std::nullopt);
}

TEST(RooflineOf, IsTheLongerOfComputingAndMoving) {
  const Ceilings all = usual_ceilings();
  const CaseResult large = square_product(1000, 0.04);  // 2 GFLOP: 20 ms
  const auto computing = roofline(large, all);
  ASSERT_TRUE(computing);
  EXPECT_NEAR(computing->share, 0.5, 1e-6);
  EXPECT_TRUE(computing->arithmetic);

  const CaseResult sum = array_read(1 << 30, 25);
  const auto moving = roofline(sum, all);
  ASSERT_TRUE(moving);
  EXPECT_NEAR(moving->share, 0.5 / 1.1, 1e-6);
  EXPECT_FALSE(moving->arithmetic);
}

TEST(RooflineOf, IsArithmeticWhereBothTakeAsLong) {
  CaseResult r = square_product(64, 1);
  Ceilings all;
  all.add(array_read(1 << 30, 50));
  CaseResult peak = peak_rate(1);
  peak.flop = r.flop;
  peak.seconds->samples = {peak.seconds->median = r.bytes / *all.bytes_per_second(1)};
  all.add(peak);
  const auto least = least_time(r, all);
  ASSERT_TRUE(least);
  EXPECT_TRUE(least->arithmetic);
  EXPECT_DOUBLE_EQ(least->seconds, peak.seconds->median);
  r.bytes *= 1.001;
  EXPECT_FALSE(least_time(r, all)->arithmetic);
}

/// Only the ceilings that can limit a case are needed.
TEST(RooflineOf, NeedsOnlyTheCeilingsOfWhatItDoes) {
  Ceilings memory;
  memory.add(array_read(1 << 30, 50));
  CaseResult r = square_product(64, 1);
  EXPECT_FALSE(least_time(r, memory));
  r.flop = 0;
  const auto least = least_time(r, memory);
  ASSERT_TRUE(least);
  EXPECT_FALSE(least->arithmetic);
  EXPECT_DOUBLE_EQ(least->seconds, r.bytes / *memory.bytes_per_second(1));
  Ceilings arithmetic;
  arithmetic.add(peak_rate(100));
  r = square_product(64, 1);
  r.bytes = 0;
  EXPECT_NEAR(least_time(r, arithmetic).value().seconds, r.flop / 100e9, 1e-12);
  r.flop = 0;
  EXPECT_FALSE(least_time(r, usual_ceilings())) << "it does nothing";
}

TEST(RooflineOf, ACopyOverALinkHasNone) {
  const auto copy = [](const char* direction) {
    return measured_case("copy",
                         {{"direction", direction}, {"bytes", std::int64_t{1} << 20}, {"dtype", "f32"}}, 1);
  };
  EXPECT_FALSE(least_time(copy("to_device"), usual_ceilings()));
  EXPECT_TRUE(least_time(copy("within"), usual_ceilings()));
  EXPECT_FALSE(is_ceiling(copy("to_device")));
  EXPECT_TRUE(is_ceiling(copy("within")));
  EXPECT_TRUE(is_ceiling(peak_rate(1)));
  EXPECT_TRUE(is_ceiling(array_read(64, 1)));
  EXPECT_FALSE(is_ceiling(square_product(64, 1)));
  CaseResult other = copy("within");
  other.parameters = {};
  EXPECT_FALSE(is_ceiling(other));
}

TEST(RooflineOf, IsThatOfTheDeviceOfTheCase) {
  Result run = sample::result({array_read(1 << 30, 50), peak_rate(100), square_product(1000, 0.04)});
  Result with_one_thread = run;
  with_one_thread.host.threads = 1;
  with_one_thread.cases.erase(with_one_thread.cases.begin(), with_one_thread.cases.begin() + 2);
  const std::vector<Ceilings> all = ceilings({&run, &with_one_thread});
  ASSERT_EQ(all.size(), 2U);
  EXPECT_NEAR(roofline(run.cases[2], all[0]).value().share, 0.5, 1e-6);
  EXPECT_FALSE(roofline(with_one_thread.cases[0], all[1])) << "on another number of threads";
  run.cases[2].status = Status::wrong;
  EXPECT_FALSE(roofline(run.cases[2], all[0]));
}

TEST(RooflineOf, OperandsThatRotateComeFromMemory) {
  const Ceilings all = usual_ceilings();
  // 64 KiB of operands: in the caches 3 microseconds of computing are longer, from memory 1 microsecond is
  // not.
  const auto reused = roofline(square_product(64, 1e-5), all);
  const auto rotating = roofline(square_product(64, 1e-5, "f32", "rotating"), all);
  ASSERT_TRUE(reused && rotating);
  EXPECT_NEAR(reused->share, 2.0 * 64 * 64 * 64 / 100e9 / 1e-5, 1e-6);
  EXPECT_GE(rotating->share, reused->share);
}

TEST(RooflineOf, NeedsBothCeilings) {
  Ceilings arithmetic;
  arithmetic.add(peak_rate(100));
  EXPECT_FALSE(roofline(square_product(64, 1), arithmetic));
  EXPECT_FALSE(roofline(square_product(64, 1, "f64"), usual_ceilings()));
  CaseResult unknown = square_product(64, 1);
  unknown.op = "of another program";
  EXPECT_FALSE(roofline(unknown, usual_ceilings()));
  CaseResult incomplete = square_product(64, 1);
  incomplete.parameters = {};
  EXPECT_FALSE(roofline(incomplete, usual_ceilings()));
}

TEST(Implausible, IsWhatNoAlgorithmCanDo) {
  const Ceilings all = usual_ceilings();
  EXPECT_THAT(why_implausible(square_product(1000, 0.0195), all), IsEmpty())
      << "within what two measurements differ by";
  CaseResult uncertain = square_product(1000, 0.01);
  uncertain.seconds->ci_high = 0.021;
  EXPECT_THAT(why_implausible(uncertain, all), IsEmpty());
  EXPECT_THAT(why_implausible(square_product(1000, 0.01, "f64"), all), IsEmpty()) << "no ceiling is known";
}

TEST(Implausible, SaysByHowMuch) {
  const Ceilings all = usual_ceilings();
  EXPECT_EQ(why_implausible(square_product(1000, 0.01), all),
            "at least 200 GFLOP/s of unavoidable work, and the most that was measured here is 100 (by peak): "
            "either the work was not done, or that is too low: a disturbance, or code that does not suit the "
            "device");
  EXPECT_EQ(
      why_implausible(array_read(1 << 30, 110), all),
      "at least 100 GB/s of unavoidable work, and the most that was measured here is 50 (by read, triad and "
      "copy): either the work was not done, or that is too low: a disturbance, or code that does not suit "
      "the device");
  CaseResult failed = square_product(1000, 0.01);
  failed.status = Status::failed;
  EXPECT_EQ(why_implausible(failed, all), "");
}

TEST(Implausible, IsMoreThanATwentiethFaster) {
  const Ceilings all = usual_ceilings();
  EXPECT_EQ(why_implausible(square_product(1000, 0.01 * 2 / 1.049), all), "");
  EXPECT_NE(why_implausible(square_product(1000, 0.01 * 2 / 1.051), all), "");
  EXPECT_EQ(why_implausible(array_read(1 << 30, 50 * 1.1 * 1.049), all), "");
  EXPECT_NE(why_implausible(array_read(1 << 30, 50 * 1.1 * 1.051), all), "");
}

TEST(CeilingsOf, KnowTheirSmallestArray) {
  EXPECT_EQ(Ceilings().least_working_set(), std::nullopt);
  EXPECT_EQ(usual_ceilings().least_working_set(), 1 << 14);
}

TEST(CeilingsOf, OfOneSizeAreTheBestOfAll) {
  Ceilings all;
  for (const double rate : {70.0, 90.0, 80.0}) all.add(array_read(1 << 14, rate));
  all.add(array_read(1 << 10, 500));
  for (const double bytes : {16384.0, 20000.0}) {
    EXPECT_THAT(all.bytes_per_second(bytes), Optional(DoubleNear(90e9, 1))) << bytes;
  }
  EXPECT_THAT(all.bytes_per_second(16383), Optional(DoubleNear(500e9, 1)));
}

TEST(Implausible, IsNotWhatMayHaveStayedInCaches) {
  const Ceilings all = usual_ceilings();
  CaseResult rotating = measured_case(
      "matmul", {{"m", 1}, {"n", 500}, {"k", 500}, {"operands", "rotating"}, {"dtype", "f32"}}, 1);
  rotating.seconds->median = rotating.bytes / 120e9;
  EXPECT_THAT(why_implausible(rotating, all), IsEmpty());
}

TEST(Implausible, IsNotWhatMayLieInAFasterCache) {
  Ceilings all;
  all.add(array_read(1 << 20, 200));
  EXPECT_THAT(why_implausible(array_read(1 << 14, 2000), all), IsEmpty());
  EXPECT_THAT(why_implausible(array_read(1 << 20, 2000), all), HasSubstr("GB/s"));
}

TEST(Implausible, ConvolutionsMayTakeFewerMultiplications) {
  const auto convolution = [](std::int64_t filter, double gflops) {
    const Parameters given{{"n", 8},      {"c", 64},     {"h", 56},           {"w", 56},       {"k", 64},
                           {"r", filter}, {"s", filter}, {"pad", filter / 2}, {"dtype", "f32"}};
    CaseResult r = measured_case("conv2d", given, 1);
    r.seconds->median = r.flop / (gflops * 1e9);
    return r;
  };
  const Ceilings all = usual_ceilings();
  EXPECT_THAT(why_implausible(convolution(3, 400), all), IsEmpty());
  EXPECT_THAT(why_implausible(convolution(3, 1000), all), HasSubstr("GFLOP/s"));
  EXPECT_THAT(why_implausible(convolution(1, 400), all), HasSubstr("GFLOP/s"));
  const auto share = roofline(convolution(3, 400), all);
  ASSERT_TRUE(share);
  EXPECT_NEAR(share->share, 4, 1e-6);
}

TEST(Implausible, IsMarkedByTheCeilingsOfTheSameDevice) {
  CaseResult fast = square_product(1000, 0.01);
  CaseResult on_a_gpu = square_product(1000, 0.001);
  on_a_gpu.backend = "g";
  on_a_gpu.device = "gpu";
  Result run = sample::result({peak_rate(100), fast, on_a_gpu});
  BackendRecord gpu = sample::backend("g", true);
  gpu.device = "gpu";
  gpu.device_id = "GPU-1";
  run.backends = {sample::backend("b", true), gpu};
  mark_implausible(run);
  EXPECT_EQ(run.cases[0].status, Status::ok);
  EXPECT_EQ(run.cases[1].status, Status::implausible);
  EXPECT_THAT(run.cases[1].reason, HasSubstr("GFLOP/s"));
  EXPECT_EQ(run.cases[2].status, Status::ok);
}

/// The CPU itself may be faster than what it reached beside other programs.
TEST(Implausible, IsNotFasterThanADisturbedMachine) {
  const auto status_beside = [](std::vector<CaseResult> ceilings) {
    ceilings.push_back(square_product(1000, 0.01));  // 200 GFLOP/s
    Result run = sample::result(std::move(ceilings));
    mark_implausible(run);
    return run.cases.back().status;
  };
  CaseResult disturbed = peak_rate(100);
  disturbed.seconds->own_speed = {0.5, 0.5, 0.5};
  EXPECT_EQ(status_beside({disturbed}), Status::ok);
  EXPECT_EQ(status_beside({disturbed, peak_rate(80)}), Status::implausible);
  disturbed.seconds->own_speed = {0.5, 0.99, 0.5};
  EXPECT_EQ(status_beside({disturbed}), Status::implausible) << "its best sample was undisturbed";
  disturbed.seconds->own_speed = {0.5, std::numeric_limits<double>::quiet_NaN(), 0.5};
  EXPECT_EQ(status_beside({disturbed}), Status::implausible) << "it is not known";
  CaseResult better = peak_rate(200);
  better.seconds->own_speed = {0.5, 0.5, 0.5};
  EXPECT_EQ(status_beside({better, peak_rate(80)}), Status::ok) << "so much can be reached";
}

/// The work of a case is that of all its ranks, and each may have a device of its own.
TEST(Implausible, IsNoCaseOfSeveralRanks) {
  const auto training = [](std::int64_t ranks) {
    CaseResult r =
        measured_case("train", {{"network", "mlp"}, {"batch", 64}, {"ranks", ranks}, {"dtype", "f32"}}, 1);
    r.seconds->median = r.flop / 300e9;
    return r;
  };
  Result run = sample::result({peak_rate(100), array_read(1 << 14, 1000), training(1), training(2)});
  const Ceilings all = ceilings({&run}).at(0);
  EXPECT_TRUE(roofline(run.cases[2], all));
  EXPECT_FALSE(roofline(run.cases[3], all));
  mark_implausible(run);
  EXPECT_EQ(run.cases[2].status, Status::implausible);
  EXPECT_EQ(run.cases[3].status, Status::ok);

  CaseResult product = square_product(1000, 0.01);
  product.conditions.ranks = {{.host = "a", .threads = 1}, {.host = "b", .threads = 1}};
  EXPECT_EQ(why_implausible(product, usual_ceilings()), "");
}

TEST(Implausible, ResultsOfSeveralFilesShareTheirMachinesCeilings) {
  std::vector<Result> files{
      sample::result({square_product(1000, 0.04)}),
      sample::result({peak_rate(100), array_read(1 << 14, 1000), array_read(1 << 30, 50)}),
      sample::result({square_product(1000, 0.04)})};
  files[2].host.name = "another";
  const std::vector<Ceilings> all = ceilings({&files[0], &files[1], &files[2]});
  ASSERT_EQ(all.size(), 2U);
  EXPECT_TRUE(roofline(files[0].cases[0], all[0]));
  EXPECT_FALSE(roofline(files[2].cases[0], all[1]));
}

}  // namespace
}  // namespace breakeven
