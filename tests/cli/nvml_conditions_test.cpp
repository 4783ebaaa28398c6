// Tests what a run reports about GPUs, with a scripted NVML: facts, conditions, energy, and throttled
// samples.
#include <sched.h>

#include <csignal>

#include "cli/driver.h"

namespace breakeven::cli_tests {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// A millisecond of work that really takes as long, so that samples last.
constexpr const char* simulated_gpu = "device=gpu,device_id=GPU-1,spin=1,fixed=0.0001,per_flop=1e-9";

class NvmlConditions : public DriverTest {
 protected:
  Outcome breakeven(const std::vector<std::string>& arguments, const Json& nvml,
                    const std::string& simulated = simulated_gpu, const char* library = FAKE_NVML) const {
    Launch started = launch(arguments, simulated);
    started.environment.emplace_back("FAKE_NVML", nvml.dump());
    started.environment.emplace_back("LD_LIBRARY_PATH", library);
    return run(started);
  }
  /// Measures one product on `a`. Returns the run's result, which must be good.
  Json measure(const Json& nvml, const Json& settings = {{"energy_seconds", 0}, {"max_seconds", 0.6}},
               const std::string& simulated = simulated_gpu, const char* library = FAKE_NVML) const {
    const Outcome outcome = with_status(
        0, breakeven({"run", products({80}, {"a"}, settings), "--out", file("out.json"), "--quiet"}, nvml,
                     simulated, library));
    EXPECT_EQ(outcome.err, "");
    return parse_file(file("out.json"));
  }
  static Json row(const Json& result) { return find_case(result, product_id(80), "a"); }
  static Json device(const Json& result) { return row(result).at("conditions").at("device"); }
  static std::vector<std::string> warnings(const Json& result) {
    return row(result).at("warnings").get<std::vector<std::string>>();
  }
};

TEST_F(NvmlConditions, FactsAreInTheFileOnce) {
  const Json result = measure(Json::object());
  EXPECT_EQ(result.at("backends")[0].at("device_id"), "GPU-1");
  ASSERT_EQ(result.at("host").at("gpus").size(), 1U);
  const Json gpu = result.at("host").at("gpus")[0];
  const Json expected{{"id", "GPU-1"},
                      {"name", "Fake GPU"},
                      {"driver", "580.1"},
                      {"memory_bytes", 1LL << 36},
                      {"ecc", true},
                      {"mig", false},
                      {"persistence", true},
                      {"compute_mode", "exclusive process"},
                      {"pcie_generation", 5},
                      {"pcie_width", 16},
                      {"pcie_generation_most", 5},
                      {"pcie_width_most", 16},
                      {"power_limit_watts", 500.0},
                      {"power_limit_default_watts", 700.0},
                      {"sm_mhz_most", 1980.0},
                      {"memory_mhz_most", 2619.0},
                      {"unreadable", Json::object()}};
  EXPECT_EQ(gpu, expected);
}

TEST_F(NvmlConditions, AreReadInsideSamples) {
  const Json result = measure({{"ecc_errors", {3, 5}}});
  const Json seen = device(result);
  EXPECT_GE(seen.at("readings"), 5) << "samples last 10 ms and more";
  EXPECT_EQ(seen.at("sm_mhz"), 1755);
  EXPECT_EQ(seen.at("sm_mhz_least"), 1755);
  EXPECT_EQ(seen.at("memory_mhz"), 2619);
  EXPECT_EQ(seen.at("celsius"), 55);
  EXPECT_EQ(seen.at("pcie_generation"), 5);
  EXPECT_EQ(seen.at("pcie_width"), 16);
  EXPECT_EQ(seen.at("other_processes"), 0);
  EXPECT_EQ(seen.at("ecc_errors"), 2) << "those that are new";
  EXPECT_EQ(seen.at("clock_reasons"), Json::array());
  EXPECT_EQ(seen.at("throttled_seconds"), (Json{{"power", 0.0}, {"thermal", 0.0}, {"board", 0.0}}));
  EXPECT_TRUE(seen.at("watts").is_null());
  constexpr const char* no_energy = "not asked for (measure.energy_seconds is 0, or --seconds below 0.5)";
  EXPECT_EQ(seen.at("unreadable"), (Json{{"joules", no_energy}, {"watts", no_energy}}));
  EXPECT_FALSE(row(result).at("seconds").contains("throttled"));
  EXPECT_THAT(warnings(result), Contains(HasSubstr("errors that were not corrected: 2")));
}

/// A GPU is close to the CPUs of one socket. If those are all CPUs, or none that may be used, threads are not
/// pinned.
TEST_F(NvmlConditions, ProgramsAreHeldOnTheCpusNextToTheirGpu) {
  cpu_set_t set;
  sched_getaffinity(0, sizeof set, &set);
  if (CPU_COUNT(&set) < 2) GTEST_SKIP() << "there is one CPU";
  int first = 0;
  while (!CPU_ISSET(first, &set)) ++first;
  const auto held = [this](const Json& near) {
    return row(measure({{"near_cpus", near}})).at("conditions").at("cpus");
  };
  EXPECT_EQ(held({first}), Json({first}));
  EXPECT_EQ(held({first, 4000}), Json({first}));
  EXPECT_EQ(held({4000}), Json::array());
  Json all = Json::array();
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) all.push_back(cpu);
  }
  EXPECT_EQ(held(all), Json::array());
}

/// The counter's last update comes up to 0.2 s after the work, and the card uses as much power meanwhile.
TEST_F(NvmlConditions, PowerIsThatOfTheWorkForEnergy) {
  const Json result =
      measure({{"watts", 300}, {"update_seconds", 0.2}}, {{"energy_seconds", 0.5}, {"max_seconds", 0.3}});
  EXPECT_NEAR(device(result).at("watts"), 300, 24);
}

/// A counter that stands still says nothing of the work.
TEST_F(NvmlConditions, EnergyOfACounterThatStandsStillIsUnknown) {
  const Json result = measure({{"watts", 0}}, {{"energy_seconds", 0.2}, {"max_seconds", 0.3}});
  EXPECT_TRUE(row(result).at("joules").is_null());
  for (const char* key : {"joules", "watts"})
    EXPECT_EQ(device(result).at("unreadable").at(key), "the GPU's energy counter did not advance");
}

/// A reading takes a lock in the driver, for which launches wait.
TEST_F(NvmlConditions, ReadingsAreTwentyMillisecondsApart) {
  const auto start = std::chrono::steady_clock::now();
  const Json result = measure({{"log", file("calls").string()}});
  const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - start;
  const std::string calls = text_of(file("calls"));
  std::int64_t temperatures = 0;
  for (auto at = calls.find("GetTemperature"); at != std::string::npos;
       at = calls.find("GetTemperature", at + 1))
    ++temperatures;
  EXPECT_EQ(device(result).at("readings"), temperatures);
  EXPECT_LE(static_cast<double>(temperatures), taken.count() / 20 + 1);
}

TEST_F(NvmlConditions, OfABackendThatDoesNotSayWhichAreNotAskedFor) {
  const Json result = measure({{"log", file("calls").string()}}, {{"energy_seconds", 0}}, "device=gpu");
  EXPECT_EQ(result.at("host").at("gpus"), Json::array());
  EXPECT_FALSE(row(result).at("conditions").contains("device"));
  EXPECT_FALSE(std::filesystem::exists(file("calls"))) << "NVML was opened for nothing";
}

/// Expects the known power times the known time. Further runs for device_seconds would double it. Other work
/// of the machine can only increase it.
TEST_F(NvmlConditions, EnergyIsThatOfTheWork) {
  const Json result = measure({{"watts", 250}}, {{"energy_seconds", 1.5}, {"max_seconds", 0.6}});
  const double expected = 250 * row(result).at("seconds").at("median").get<double>();
  EXPECT_GE(row(result).at("joules"), 0.97 * expected);
  EXPECT_LE(row(result).at("joules"), 1.5 * expected);
  EXPECT_FALSE(device(result).at("unreadable").contains("joules"));
}

/// The work for energy is at most as long as --seconds allows, and left out where it would be too short.
TEST_F(NvmlConditions, SecondsOfTheCommandLineLimitEnergyToo) {
  const auto measured = [this](const char* seconds) {
    const auto path = products({80}, {"a"}, {{"energy_seconds", 600}});
    with_status(0, breakeven({"run", path, "--seconds", seconds, "--out", file("out.json"), "--quiet"},
                             Json::object()));
    return row(parse_file(file("out.json")));
  };
  EXPECT_TRUE(measured("0.2").at("joules").is_null());
  EXPECT_GT(measured("0.6").at("joules"), 0);
}

TEST_F(NvmlConditions, EnergyOfABackendThatAlsoDidOtherRunsIsUnknown) {
  const Json result = measure(Json::object(), {{"energy_seconds", 0.2}, {"max_seconds", 0.3}},
                              std::string(simulated_gpu) + ",obeys=0");
  EXPECT_TRUE(row(result).at("joules").is_null());
  EXPECT_THAT(device(result).at("unreadable").at("joules").get<std::string>(), HasSubstr("further runs"));
}

TEST_F(NvmlConditions, EnergyOfColdCachesAndOfAPartOfACardIsUnknown) {
  const Json cold = measure(Json::object(), {{"cache", "cold"}, {"max_seconds", 0.3}});
  EXPECT_TRUE(row(cold).at("joules").is_null());
  EXPECT_THAT(device(cold).at("unreadable").at("joules").get<std::string>(), HasSubstr("flushing caches"));
  const Json divided = measure({{"mig", true}}, {{"energy_seconds", 0.2}, {"max_seconds", 0.3}});
  EXPECT_TRUE(row(divided).at("joules").is_null());
  EXPECT_THAT(device(divided).at("unreadable").at("joules").get<std::string>(), HasSubstr("MIG"));
}

TEST_F(NvmlConditions, InterruptedWhileEnergyIsMeasured) {
  const auto path = products({80}, {"a"}, {{"energy_seconds", 600}, {"max_seconds", 0.3}});
  Launch started = launch({"run", path, "--out", file("out.json")}, simulated_gpu);
  started.environment.emplace_back("FAKE_NVML", Json{{"log", file("calls").string()}}.dump());
  started.environment.emplace_back("LD_LIBRARY_PATH", FAKE_NVML);
  Process process(started);
  ASSERT_TRUE(eventually([&] {
    return std::filesystem::exists(file("calls")) &&
           text_of(file("calls")).find("nvmlDeviceGetTotalEnergyConsumption") != std::string::npos;
  }));
  process.send(SIGINT);
  EXPECT_EQ(process.wait().status, 130);
  const Json result = parse_file(file("out.json"));
  EXPECT_EQ(row(result).at("status"), "interrupted");
  EXPECT_FALSE(row(result).at("seconds").is_null()) << "what was measured is saved";
  EXPECT_TRUE(row(result).at("joules").is_null());
}

TEST_F(NvmlConditions, ThrottledSamplesAreMarkedAndTakenAgain) {
  const Json result =
      measure({{"reasons", {{3, 0}, {4, 4}, {1, 0}}}}, {{"energy_seconds", 0}, {"max_seconds", 3}});
  const Json seconds = row(result).at("seconds");
  ASSERT_TRUE(seconds.contains("throttled")) << result;
  const auto throttled = seconds.at("throttled").get<std::vector<std::size_t>>();
  const std::size_t samples = seconds.at("samples").size();
  EXPECT_THAT(throttled, Each(testing::Lt(samples)));
  EXPECT_GE(samples - throttled.size(), 10U) << "as many that ran freely as any case needs";
  EXPECT_THAT(device(result).at("clock_reasons").get<std::vector<std::string>>(), ElementsAre("power cap"));
  EXPECT_THAT(warnings(result),
              Contains(AllOf(HasSubstr(fmt::format("in {} of {}", throttled.size(), samples)),
                             HasSubstr("power cap"), HasSubstr("of the others"))));
}

/// At full load, the power limit throttles every large product: pauses end, and so does the case.
TEST_F(NvmlConditions, SteadyThrottlingIsMeasuredAsItIs) {
  const auto start = std::chrono::steady_clock::now();
  const Json result =
      measure({{"reasons", {{1, 4}}}}, {{"energy_seconds", 0}, {"max_seconds", 20}, {"precision", 0.5}});
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  EXPECT_LT(taken.count(), 15) << "far from the case's time: 0.7 s of rests";
  const Json seconds = row(result).at("seconds");
  EXPECT_EQ(seconds.at("throttled").size(), seconds.at("samples").size());
  EXPECT_GE(seconds.at("samples").size(), 10U);
  EXPECT_THAT(warnings(result), Contains(AllOf(HasSubstr("power cap"), HasSubstr("figures are of all"))));
}

TEST_F(NvmlConditions, PairsOfAGateThatThrottledAreTakenAgain) {
  const auto folder = file("backends").string();
  with_status(0,
              breakeven({"gate", products({80}, {"a"}, {{"energy_seconds", 0}, {"max_seconds", 1}}), "--base",
                         folder, "--head", folder, "--threshold", "30%", "--out", file("verdicts.json")},
                        {{"reasons", {{12, 0}, {3, 4}, {1, 0}}}}));
  const Json verdict = parse_file(file("verdicts.json")).at("cases").at(0);
  EXPECT_THAT(verdict.at("notes").get<std::vector<std::string>>(),
              AllOf(Contains(HasSubstr("the GPU lowered its clocks in")),
                    Contains(HasSubstr("taken again, after the GPU had cooled down"))));
  const Json launch = verdict.at("launches").at(0);
  EXPECT_EQ(launch.at("base").size() % 2, 0U) << launch;
  EXPECT_EQ(launch.at("base").size(), launch.at("head").size());
}

TEST_F(NvmlConditions, CountersThatRiseMarkSamplesToo) {
  const Json result =
      measure({{"violations", {{"thermal", 0.5}}}}, {{"energy_seconds", 0}, {"max_seconds", 1}});
  EXPECT_FALSE(row(result).at("seconds").at("throttled").empty());
  EXPECT_GT(device(result).at("throttled_seconds").at("thermal"), 0);
  EXPECT_EQ(device(result).at("throttled_seconds").at("power"), 0);
  EXPECT_THAT(warnings(result), Contains(HasSubstr("thermal limit")));
}

TEST_F(NvmlConditions, WithoutTheLibraryAreUnknownInTheLoadersWords) {
  const Json result = measure(Json::object(), {{"max_seconds", 0.3}}, simulated_gpu, "/nowhere");
  const auto because = HasSubstr("libnvidia-ml.so.1: cannot open shared object file");
  const Json unknown = device(result);
  EXPECT_TRUE(unknown.at("sm_mhz").is_null());
  EXPECT_TRUE(row(result).at("joules").is_null());
  for (const auto& [key, why] : unknown.at("unreadable").items())
    EXPECT_THAT(why.get<std::string>(), because) << key;
  const Json gpu = result.at("host").at("gpus")[0];
  EXPECT_TRUE(gpu.at("name").is_null());
  EXPECT_THAT(gpu.at("unreadable").at("name").get<std::string>(), because);
}

TEST_F(NvmlConditions, OfADriverThatIsNotLoadedAreUnknownInItsWords) {
  const Json result = measure({{"init", 9}}, {{"max_seconds", 0.3}});
  EXPECT_EQ(result.at("host").at("gpus")[0].at("unreadable").at("driver"), "Driver Not Loaded");
  EXPECT_EQ(device(result).at("unreadable").at("watts"), "Driver Not Loaded");
}

/// Values that an old driver lacks are unknown; those that it has under an older name are known.
TEST_F(NvmlConditions, OfAnOldDriver) {
  const Json result = measure({{"reasons", {{1, 1}}}}, {{"max_seconds", 0.3}}, simulated_gpu, FAKE_NVML_OLD);
  const Json seen = device(result);
  EXPECT_EQ(seen.at("sm_mhz"), 1755);
  EXPECT_EQ(seen.at("other_processes"), 0);
  EXPECT_EQ(seen.at("clock_reasons"), Json::array({"gpu idle"}));
  EXPECT_THAT(seen.at("unreadable").at("joules").get<std::string>(),
              HasSubstr("has no nvmlDeviceGetTotalEnergyConsumption"));
  EXPECT_THAT(seen.at("unreadable").at("throttled_seconds.power").get<std::string>(),
              HasSubstr("has no nvmlDeviceGetViolationStatus"));
  EXPECT_EQ(seen.at("throttled_seconds"), Json::object());
}

TEST_F(NvmlConditions, WhatTheCardDoesNotSupportIsUnknownAlone) {
  const Json result = measure({{"unsupported",
                                {"nvmlDeviceGetEccMode", "nvmlDeviceGetTotalEnergyConsumption",
                                 "nvmlDeviceGetComputeRunningProcesses_v3"}}},
                              {{"max_seconds", 0.3}});
  const Json seen = device(result);
  EXPECT_TRUE(seen.at("watts").is_null());
  EXPECT_EQ(
      seen.at("unreadable"),
      (Json{{"watts", "Not Supported"}, {"joules", "Not Supported"}, {"other_processes", "Not Supported"}}));
  const Json gpu = result.at("host").at("gpus")[0];
  EXPECT_TRUE(gpu.at("ecc").is_null());
  EXPECT_EQ(gpu.at("unreadable"), (Json{{"ecc", "Not Supported"}}));
}

TEST_F(NvmlConditions, OfADeviceThatNvmlDoesNotKnow) {
  const Json result = measure({{"uuid", "GPU-2"}}, {{"max_seconds", 0.3}});
  EXPECT_EQ(device(result).at("unreadable").at("sm_mhz"), "NVML does not find GPU-1: Not Found");
  EXPECT_TRUE(row(result).at("joules").is_null());
}

/// CUDA gives a MIG instance an id that looks like a GPU's.
TEST_F(NvmlConditions, OfAnInstanceAreFoundByItsOwnName) {
  const Json result = measure({{"uuid", "MIG-1"}}, {{"max_seconds", 0.3}, {"energy_seconds", 0}});
  EXPECT_EQ(device(result).at("sm_mhz"), 1755);
}

TEST_F(NvmlConditions, AnotherProcessOnTheCardIsWarnedOf) {
  const Json result = measure({{"processes", {"own", 1}}});
  EXPECT_EQ(device(result).at("other_processes"), 1);
  EXPECT_THAT(warnings(result), Contains(HasSubstr("other processes computed on the GPU: 1")));
}

/// Processes in other containers have no number here, and those that only draw are not counted.
TEST_F(NvmlConditions, MemoryInUseBeforeTheRunIsWarnedOf) {
  const auto said = [this](std::int64_t used) {
    return measure({{"memory_used", used}}, {{"max_seconds", 0.3}, {"energy_seconds", 0}})
        .at("warnings")
        .dump();
  };
  EXPECT_THAT(said(std::int64_t{48} << 30U),
              HasSubstr("48 of the 64 GiB of memory of Fake GPU were in use before the run"));
  EXPECT_THAT(said(std::int64_t{6} << 30U), Not(HasSubstr("in use before the run")));
}

/// Programs of one run live side by side, which a card in exclusive mode does not allow.
TEST_F(NvmlConditions, SeveralBackendsOnACardInExclusiveModeAreWarnedOf) {
  const auto warned = [this](const std::vector<std::string>& backends) {
    const auto path = products({80}, backends, {{"max_seconds", 0.1}, {"energy_seconds", 0}});
    with_status(0, breakeven({"run", path, "--out", file("out.json"), "--quiet"}, Json::object()));
    return parse_file(file("out.json")).at("warnings").dump();
  };
  EXPECT_THAT(warned({"a", "b"}),
              AllOf(HasSubstr("Fake GPU serves one program at a time (compute mode 'exclusive process')"),
                    HasSubstr("nvidia-smi -c 0")));
  EXPECT_THAT(warned({"a"}), Not(HasSubstr("one program at a time")));
}

/// In a container the driver may report processes by the host's numbers, or none.
TEST_F(NvmlConditions, ProcessesOfWhichNoneIsOursSayNothing) {
  for (const Json& processes : {Json::array(), Json::array({1, 2})}) {
    const Json result = measure({{"processes", processes}}, {{"max_seconds", 0.3}, {"energy_seconds", 0}});
    EXPECT_TRUE(device(result).at("other_processes").is_null());
    EXPECT_THAT(device(result).at("unreadable").at("other_processes").get<std::string>(),
                HasSubstr("none is the backend's"));
  }
}

TEST_F(NvmlConditions, ResumeRefusesACardThatHasChanged) {
  measure({{"power_limit", 500}});
  const auto resume = [&](const Json& nvml, const std::string& simulated = simulated_gpu) {
    return breakeven({"run", file("config.json"), "--resume", file("out.json")}, nvml, simulated);
  };
  EXPECT_EQ(resume({{"power_limit", 500}, {"pcie_generation", 1}}).status, 0) << "an idle link is slow";
  EXPECT_THAT(with_status(2, resume({{"power_limit", 300}})).err,
              HasSubstr("different power limit: 500 W → 300 W"));
  EXPECT_THAT(with_status(2, resume({{"uuid", "GPU-2"}}, "device=gpu,device_id=GPU-2")).err,
              HasSubstr("different GPU of a: GPU-1 → GPU-2"));
}

TEST_F(NvmlConditions, ConformanceNamesABackendThatSpoilsItsEnergy) {
  const auto program = file("backends") / "breakeven-backend-a";
  const Json nvml = Json::object();
  EXPECT_EQ(breakeven({"conformance", program}, nvml, "device=gpu,device_id=GPU-1,supports=matmul").status,
            0);
  const Outcome spoilt = with_status(
      1, breakeven({"conformance", program}, nvml, "device=gpu,device_id=GPU-1,supports=matmul,obeys=0"));
  EXPECT_THAT(spoilt.out, HasSubstr("gave device_seconds though told not to"));
}

TEST_F(NvmlConditions, DevicesListsTheFacts) {
  EXPECT_THAT(with_status(0, breakeven({"devices"}, Json::object())).out,
              AllOf(HasSubstr("Fake GPU (GPU-1): 64.0 GiB, driver 580.1"), HasSubstr("500 W of 700 W")));
  const Json listed = parse(breakeven({"devices", "--json"}, Json::object()).out);
  EXPECT_EQ(listed.at("host").at("gpus")[0].at("name"), "Fake GPU");
  const Outcome without = breakeven({"devices"}, Json::object(), simulated_gpu, "/nowhere");
  EXPECT_THAT(without.out, HasSubstr("GPU-1: cannot be described: libnvidia-ml.so.1"));
}

}  // namespace
}  // namespace breakeven::cli_tests
