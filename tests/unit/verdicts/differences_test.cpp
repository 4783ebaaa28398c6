// Differences that keep the times of two results from being compared: how far apart is different, what is not
// known.
#include "verdicts/differences.h"

#include <gmock/gmock.h>

#include "reports/words/notes.h"
#include "results/measure_settings.h"
#include "unit/verdicts_sample.h"

namespace breakeven::verdicts_differences_test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr std::int64_t gib = std::int64_t{1} << 30U;

std::vector<std::string> texts(const std::vector<FoundDifference>& found) {
  std::vector<std::string> all;
  for (const FoundDifference& one : found)
    all.push_back(std::string(name(one.what)) + ": " + note_text(one.note));
  return all;
}

/// The differences of two runs, after `change` to the head.
std::vector<std::string> of_runs(const std::function<void(Result&)>& base_change,
                                 const std::function<void(Result&)>& head_change) {
  Result base = sample::result({sample::product("a", 64, 1)});
  Result head = base;
  base_change(base);
  head_change(head);
  return texts(run_differences(base, head));
}

std::vector<std::string> of_heads(const std::function<void(Result&)>& change) {
  return of_runs([](Result&) {}, change);
}

TEST(RunDifferences, AreNoneOfARunAndItself) {
  EXPECT_THAT(of_heads([](Result&) {}), IsEmpty());
}

TEST(RunDifferences, OfMachinesAreByTheirProcessorsAndCounts) {
  EXPECT_THAT(
      of_runs([](Result& r) { r.host.cpu_identity = "family 25 model 1"; },
              [](Result& r) {
                r.host.name = "b";
                r.host.cpu = "B";
                r.host.cpu_identity = "family 25 model 19";
                r.host.cpus = 4;
                r.host.threads = 1;
              }),
      ElementsAre("machine: different CPU: A CPU → B",
                  "machine: different processor: family 25 model 1 → family 25 model 19",
                  "machine: different number of CPUs: 2 → 4", "threads: different number of threads: 2 → 1"));
}

TEST(RunDifferences, OfMemoryAreMoreThanWhatAKernelKeeps) {
  const auto with = [](std::int64_t base, std::int64_t head) {
    return of_runs([&](Result& r) { r.host.memory_bytes = base; },
                   [&](Result& r) { r.host.memory_bytes = head; });
  };
  EXPECT_THAT(with(100 * gib, 105 * gib), IsEmpty());
  EXPECT_THAT(with(105 * gib, 100 * gib), IsEmpty());
  EXPECT_THAT(with(100 * gib, 106 * gib), ElementsAre("machine: different memory: 100.0 GiB → 106.0 GiB"));
  EXPECT_THAT(with(106 * gib, 100 * gib), ElementsAre("machine: different memory: 106.0 GiB → 100.0 GiB"));
  EXPECT_THAT(with(0, 106 * gib), IsEmpty()) << "not known";
  EXPECT_THAT(with(106 * gib, 0), IsEmpty());
}

TEST(RunDifferences, OfCountsAreThoseOfWhatBothKnow) {
  const auto cores = [](int base, int head) {
    return of_runs([&](Result& r) { r.host.cores = base; }, [&](Result& r) { r.host.cores = head; });
  };
  EXPECT_THAT(cores(1, 2), ElementsAre("machine: different number of cores: 1 → 2"));
  EXPECT_THAT(cores(0, 1), IsEmpty());
  EXPECT_THAT(cores(1, 0), IsEmpty());
}

TEST(RunDifferences, OfTextsAreThoseOfWhatBothKnow) {
  const auto kinds = [](const std::string& base, const std::string& head) {
    return of_runs([&](Result& r) { r.host.virtualization = base; },
                   [&](Result& r) { r.host.virtualization = head; });
  };
  EXPECT_THAT(kinds("kvm", "none"), ElementsAre("machine: different virtualization: kvm → none"));
  EXPECT_THAT(kinds("", "none"), IsEmpty());
  EXPECT_THAT(kinds("kvm", "unknown: cannot be read"), IsEmpty());
  EXPECT_THAT(kinds("unknown", "kvm"), IsEmpty());
}

TEST(RunDifferences, OfInstructionSetsSayWhoHasThem) {
  const auto sets = [](const std::vector<std::string>& base, const std::vector<std::string>& head) {
    return of_runs([&](Result& r) { r.host.cpu_features = base; },
                   [&](Result& r) { r.host.cpu_features = head; });
  };
  EXPECT_THAT(
      sets({"avx2", "amx", "fma"}, {"avx2", "sve"}),
      ElementsAre("machine: different instruction sets: only the base has amx fma, only the head has sve"));
  EXPECT_THAT(sets({"avx2", "fma"}, {"fma", "avx2"}), IsEmpty()) << "in another order";
  EXPECT_THAT(sets({}, {"avx2"}), IsEmpty()) << "not known";
  EXPECT_THAT(sets({"avx2"}, {}), IsEmpty());
}

TEST(RunDifferences, OfAQuotaAreThoseOfMachinesThatAreKnown) {
  const auto quota = [](const std::string& cpu) {
    return of_runs([&](Result& r) { r.host.cpu = cpu; },
                   [&](Result& r) {
                     r.host.cpu = cpu;
                     r.host.cpu_quota = 2.5;
                   });
  };
  EXPECT_THAT(quota("A CPU"), ElementsAre("machine: different CPU quota: none → 2.5"));
  EXPECT_THAT(quota(""), IsEmpty());
}

/// Every setting by which CPUs are made faster or slower.
TEST(RunDifferences, OfClocksAreSettingsAndReadings) {
  for (const std::string setting : {"governor", "turbo_off", "boost"}) {
    EXPECT_THAT(of_runs([&](Result& r) { r.host.settings[setting] = "0"; },
                        [&](Result& r) { r.host.settings[setting] = "1"; }),
                ElementsAre("clocks: different " + setting + ": 0 → 1"));
  }
  EXPECT_THAT(of_runs([](Result& r) { r.host.settings["smt"] = "on"; },
                      [](Result& r) { r.host.settings["smt"] = "off"; }),
              IsEmpty());
  const auto clocks = [](const std::vector<double>& base, const std::vector<double>& head,
                         const char* device = "cpu") {
    const auto with = [&](const std::vector<double>& all) {
      return [&](Result& r) {
        r.cases.assign(all.size() + 1, r.cases.front());  // the last has no clock
        for (std::size_t i = 0; i < all.size(); ++i) {
          r.cases[i].conditions.cpu_mhz = all[i];
          r.cases[i].device = device;
        }
      };
    };
    return of_runs(with(base), with(head));
  };
  EXPECT_THAT(clocks({3000}, {3300}), IsEmpty()) << "a tenth";
  EXPECT_THAT(clocks({3000}, {3301}), ElementsAre("clocks: different CPU clock: 3000 MHz → 3301 MHz"));
  EXPECT_THAT(clocks({3301}, {3000}), ElementsAre("clocks: different CPU clock: 3301 MHz → 3000 MHz"));
  EXPECT_THAT(clocks({3000, 3000, 900}, {3000, 9000, 3000}), IsEmpty()) << "by the medians";
  EXPECT_THAT(clocks({3000}, {2000}, "gpu"), IsEmpty());
  EXPECT_THAT(clocks({}, {2000}), IsEmpty());
  EXPECT_THAT(clocks({0}, {2000}), IsEmpty());
}

TEST(RunDifferences, OfCoresThatWereMovedMatterToSeveralThreads) {
  Result base = sample::result({sample::product("a", 64, 1)});
  Result head = base;
  const auto at = [&](double head_seconds, int threads) {
    for (const auto& [result, seconds] : {std::pair(&base, 25e-9), std::pair(&head, head_seconds)}) {
      result->host.threads = threads;
      result->machine_speed = MachineSpeed{.rounds = 1, .median_seconds = {{"core_to_core", seconds}}};
    }
    return texts(run_differences(base, head));
  };
  EXPECT_THAT(at(45e-9, 2), IsEmpty());
  EXPECT_THAT(
      at(150e-9, 2),
      ElementsAre("threads: the cores were elsewhere: the core-to-core latency was 25 ns, then 150 ns"));
  EXPECT_THAT(at(12e-9, 2), SizeIs(1));
  EXPECT_THAT(at(150e-9, 1), IsEmpty());
  head.host.threads = base.host.threads = 2;
  head.host.cpu = "another";
  EXPECT_THAT(texts(run_differences(base, head)), ElementsAre(testing::StartsWith("machine: ")));
  head.host.cpu = base.host.cpu;
  head.machine_speed->median_seconds.clear();  // an older program
  EXPECT_THAT(run_differences(base, head), IsEmpty());
}

/// Virtual machines show the nominal clock to both, whatever it is.
TEST(RunDifferences, OfMeasuredClocksAreByTheProbe) {
  Result base = sample::result({sample::product("a", 64, 1)});
  Result head = base;
  const auto at = [&](double base_seconds, double head_seconds) {
    for (const auto& [result, seconds] : {std::pair(&base, base_seconds), std::pair(&head, head_seconds)}) {
      result->cases[0].conditions.cpu_mhz = 2600;
      result->machine_speed = MachineSpeed{
          .rounds = 1, .best_seconds = {{"clock", 1e-6}}, .median_seconds = {{"clock", seconds}}};
    }
    std::vector<std::string> all = texts(run_differences(base, head));
    for (const Note& note : lesser_differences(base, head)) all.push_back(note_text(note));
    return all;
  };
  EXPECT_THAT(at(10e-6, 10.1e-6), IsEmpty());
  EXPECT_THAT(at(10e-6, 9.5e-6), ElementsAre("the head's cores were clocked 5 % higher than the base's: as "
                                             "large a change is no change of the code"));
  EXPECT_THAT(at(10e-6, 10.5e-6), ElementsAre("the head's cores were clocked 5 % lower than the base's: as "
                                              "large a change is no change of the code"));
  EXPECT_THAT(at(10e-6, 8e-6),
              ElementsAre("clocks: the head's cores were clocked 25 % higher than the base's"));
  head.machine_speed.reset();
  head.cases[0].conditions.cpu_mhz = 3600;
  EXPECT_THAT(texts(run_differences(base, head)),
              ElementsAre("clocks: different CPU clock: 2600 MHz → 3600 MHz"))
      << "an older program did not measure it";
}

TEST(RunDifferences, OfHowItWasMeasuredAreByTheConfigsOfBoth) {
  const auto configs = [](const std::string& base, const std::string& head) {
    return of_runs([&](Result& r) { r.config = base; }, [&](Result& r) { r.config = head; });
  };
  const std::string cold = R"({"measure": {"cache": "cold"}})";
  EXPECT_THAT(configs("{}", cold), ElementsAre("settings: different state of the caches: warm → cold"));
  EXPECT_THAT(configs("[{}, " + cold + "]", "[" + cold + "]"),
              ElementsAre("settings: different state of the caches: warm → cold"))
      << "of several configs the first, as all of one run agree";
  EXPECT_THAT(configs(R"({"measure": 3})", cold),
              ElementsAre("settings: different state of the caches: warm → cold"));
  EXPECT_THAT(configs(R"({"measure": {"cache": 3}})", cold),
              ElementsAre("settings: different state of the caches: warm → cold"));
  EXPECT_THAT(configs("{}", R"({"measure": {"placement": "free"}})"),
              ElementsAre("settings: different placement of threads: cores → free"));
  for (const char* unknown : {"", "null", "[]", "3", "{"})
    EXPECT_THAT(configs(unknown, cold), IsEmpty()) << unknown;
  EXPECT_THAT(configs("[3]", cold), ElementsAre("settings: different state of the caches: warm → cold"));
  Result run = sample::result({});
  for (const auto& [config, state] : std::vector<std::pair<std::string, std::string>>{
           {"{}", "warm"}, {cold, "cold"}, {"null", ""}, {R"({"measure": {"placement": "free"}})", "warm"}}) {
    run.config = config;
    EXPECT_EQ(cache_state(run), state) << config;
  }
}

TEST(RunDifferences, OfVariablesAreThoseOfRunsThatKnowThem) {
  using Variables = std::optional<std::map<std::string, std::string>>;
  const auto variables = [](const Variables& base, const Variables& head) {
    return of_runs([&](Result& r) { r.host.environment = base; },
                   [&](Result& r) { r.host.environment = head; });
  };
  EXPECT_THAT(variables({{{"OMP_A", "1"}, {"OMP_B", "2"}, {"OMP_D", "4"}}},
                        {{{"OMP_B", "3"}, {"OMP_C", "4"}, {"OMP_D", "4"}}}),
              ElementsAre("settings: different OMP_A: 1 → none", "settings: different OMP_B: 2 → 3",
                          "settings: different OMP_C: none → 4"));
  EXPECT_THAT(variables({{{"CUDA_VISIBLE_DEVICES", "0"}}},
                        {{{"CUDA_DEVICE_ORDER", "PCI_BUS_ID"}, {"CUDA_VISIBLE_DEVICES", "1"}}}),
              IsEmpty())
      << "the GPU is compared by its id";
  EXPECT_THAT(variables({{{"CUDA_VERSION", "12.8"}, {"OMP_A", "1"}}}, {{{"OMP_A", "1"}}}), IsEmpty())
      << "as older files have it";
  EXPECT_THAT(variables({}, {{{"OMP_A", "1"}}}), IsEmpty());
  EXPECT_THAT(variables({{{"NCCL_ALGO", "Ring"}}}, {{{"UCX_TLS", "tcp"}}}), IsEmpty()) << "no case has ranks";
  CaseResult of_ranks =
      sample::measured_case("matmul", {{"m", 64}, {"n", 64}, {"k", 64}, {"dtype", std::string("f32")}}, 1);
  of_ranks.conditions.ranks.resize(2);
  const auto with_ranks = [&](const std::string& value) {
    return [&of_ranks, value](Result& r) {
      r.cases = {of_ranks};
      r.host.environment = {{"NCCL_ALGO", value}};
    };
  };
  EXPECT_THAT(of_runs(with_ranks("Ring"), with_ranks("Tree")),
              ElementsAre("settings: different NCCL_ALGO: Ring → Tree"));
  EXPECT_THAT(variables({{{"OMP_A", "1"}}}, {}), IsEmpty());
}

Gpu a_gpu() {
  Gpu gpu{};
  gpu.id = "GPU-1";
  gpu.driver = "580.1";
  gpu.ecc = true;
  gpu.mig = false;
  gpu.power_limit_watts = 700;
  return gpu;
}

std::vector<std::string> of_gpus(const std::function<void(Gpu&)>& change) {
  Result base = sample::result({});
  BackendRecord cuda = sample::backend("cuda", true);
  cuda.device_id = "GPU-1";
  base.backends = {sample::backend("a", true), cuda};
  base.host.gpus = {Gpu{}, a_gpu()};
  Result head = base;
  change(head.host.gpus[1]);
  return texts(backend_differences(base, head, "cuda"));
}

TEST(BackendDifferences, AreAlsoThoseOfItsGpu) {
  EXPECT_THAT(of_gpus([](Gpu&) {}), IsEmpty());
  EXPECT_THAT(of_gpus([](Gpu& gpu) { gpu.driver = "590.2"; }),
              ElementsAre("driver: different GPU driver: 580.1 → 590.2"));
  EXPECT_THAT(of_gpus([](Gpu& gpu) { gpu.ecc = false; }),
              ElementsAre("machine: different ECC mode: true → false"));
  EXPECT_THAT(of_gpus([](Gpu& gpu) { gpu.mig = true; }),
              ElementsAre("machine: different MIG mode: false → true"));
  EXPECT_THAT(of_gpus([](Gpu& gpu) { gpu.mig.reset(); }), IsEmpty());
  EXPECT_THAT(of_gpus([](Gpu& gpu) { gpu.power_limit_watts = 700.6; }), IsEmpty());
  EXPECT_THAT(of_gpus([](Gpu& gpu) { gpu.power_limit_watts = 702; }),
              ElementsAre("clocks: different power limit: 700 W → 702 W"));
  EXPECT_THAT(of_gpus([](Gpu& gpu) { gpu.power_limit_watts.reset(); }), IsEmpty());
  EXPECT_THAT(of_gpus([](Gpu& gpu) {
                gpu.id = "GPU-2";
                gpu.driver = "590.2";
              }),
              IsEmpty())
      << "the head's file does not have it";
}

TEST(BackendDifferences, AreOfBackendsThatBothHave) {
  Result base = sample::result({});
  Result head = base;
  base.backends = {sample::backend("a", true)};
  base.backends[0].version = "1";
  base.backends[0].libraries = {{"OpenBLAS", "0.3.21"}, {"MKL", "1"}};
  base.backends[0].device_name = "A GPU";
  base.backends[0].device_id = "GPU-1";
  EXPECT_THAT(backend_differences(base, head, "a"), IsEmpty());
  EXPECT_THAT(backend_differences(head, base, "a"), IsEmpty());
  head.backends = base.backends;
  head.backends[0].version = "2";
  head.backends[0].libraries = {{"BLIS", "0.3.21"}, {"MKL", "2"}};
  head.backends[0].device_name = "B GPU";
  head.backends[0].device_id = "GPU-2";
  EXPECT_THAT(texts(backend_differences(base, head, "a")),
              ElementsAre("library: different version of a: 1 → 2", "library: different BLIS: none → 0.3.21",
                          "library: different MKL: 1 → 2", "library: different OpenBLAS: 0.3.21 → none",
                          "machine: different device of a: A GPU → B GPU",
                          "machine: different GPU of a: GPU-1 → GPU-2"));
  EXPECT_THAT(backend_differences(base, head, "b"), IsEmpty());
}

TEST(CaseDifferences, OfAGpusClocksAreMoreThanAStep) {
  const auto clocks = [](double base, double head, std::optional<double> DeviceConditions::*which) {
    CaseResult was = sample::product("cuda", 64, 1);
    was.conditions.device = DeviceConditions{};
    CaseResult is = was;
    (*was.conditions.device).*which = base;
    (*is.conditions.device).*which = head;
    return texts(case_differences(was, is));
  };
  EXPECT_THAT(clocks(2000, 2100, &DeviceConditions::sm_mhz), IsEmpty());
  EXPECT_THAT(clocks(2000, 2101, &DeviceConditions::sm_mhz),
              ElementsAre("clocks: different GPU clock: 2000 MHz → 2101 MHz"));
  EXPECT_THAT(clocks(2101, 2000, &DeviceConditions::memory_mhz),
              ElementsAre("clocks: different GPU memory clock: 2101 MHz → 2000 MHz"));
  CaseResult unknown = sample::product("cuda", 64, 1);
  CaseResult known = unknown;
  known.conditions.device = DeviceConditions{};
  known.conditions.device->sm_mhz = 1000;
  EXPECT_THAT(case_differences(unknown, known), IsEmpty());
  EXPECT_THAT(case_differences(known, unknown), IsEmpty());
}

TEST(CaseDifferences, OfRanksAreByHostsAndThreads) {
  const auto ranks = [](const std::vector<RankPlace>& base, const std::vector<RankPlace>& head,
                        const std::string& device = "cpu") {
    CaseResult was = sample::product("openblas", 64, 1);
    was.device = device;
    CaseResult is = was;
    was.conditions.ranks = base;
    is.conditions.ranks = head;
    return texts(case_differences(was, is));
  };
  const std::vector<RankPlace> together{{.host = "a", .threads = 1}, {.host = "a", .threads = 1}};
  const std::vector<RankPlace> apart{{.host = "a", .threads = 1}, {.host = "b", .threads = 1}};
  EXPECT_THAT(ranks(together, apart),
              ElementsAre("threads: different ranks: 2 ranks on 1 host, 2 threads → 2 "
                          "ranks on 2 hosts, 2 threads"));
  EXPECT_THAT(ranks(apart, {{.host = "x", .threads = 1}, {.host = "c", .threads = 1}}), IsEmpty())
      << "names may differ";
  const std::vector<RankPlace> wider{{.host = "a", .threads = 1}, {.host = "a", .threads = 3}};
  EXPECT_THAT(ranks(together, wider),
              ElementsAre("threads: different ranks: 2 ranks on 1 host, 2 threads → 2 "
                          "ranks on 1 host, 4 threads"));
  EXPECT_THAT(ranks({wider[1], wider[0]}, wider),
              ElementsAre("threads: different distribution of 2 ranks on 1 host, 4 threads"));
  EXPECT_THAT(ranks(together, wider, "gpu"), IsEmpty());
  EXPECT_THAT(ranks(together, apart, "gpu"),
              ElementsAre("threads: different ranks: 2 ranks on 1 host → 2 ranks on 2 hosts"));
  EXPECT_THAT(ranks({}, apart), IsEmpty()) << "an older program did not record it";
}

TEST(LesserDifferences, AreOfTheSystemItsSettingsAndBreakeven) {
  Result base = sample::result({});
  base.host.os = "Debian 12";
  base.host.kernel = "6.1";
  base.host.settings = {{"governor", "performance"}, {"smt", "on"}, {"thp", "always"}};
  base.tool_version = "0.1.0";
  base.tool_commit = "1a2b3c4d5e6f";
  base.tool_compiler = "GCC 12";
  base.tool_build = "Release";
  Result head = base;
  EXPECT_THAT(lesser_differences(base, head), IsEmpty());
  head.host.os = "Debian 13";
  head.host.kernel = "6.12";
  head.host.settings = {{"governor", "powersave"}, {"smt", "off"}, {"new", "1"}};
  head.tool_version = "0.2.0";
  head.tool_commit = "6f5e4d3c2b1a-dirty";
  head.tool_compiler = "GCC 14";
  head.tool_build = "Debug";
  EXPECT_THAT(note_texts(lesser_differences(base, head)),
              ElementsAre("different operating system: Debian 12 → Debian 13", "different kernel: 6.1 → 6.12",
                          "different setting smt: on → off", "different version of breakeven: 0.1.0 → 0.2.0",
                          "different commit of breakeven: 1a2b3c4d5e6f → 6f5e4d3c2b1a-dirty",
                          "different compiler of breakeven: GCC 12 → GCC 14",
                          "different build of breakeven: Release → Debug"));
  base.tool_commit.clear();
  EXPECT_THAT(note_texts(lesser_differences(base, head)), Not(Contains(HasSubstr("commit"))))
      << "an older one has none";
}

TEST(LesserDifferences, OfFilesAreThoseOfLibrariesThatBothLoaded) {
  Result base = sample::result({});
  base.backends = {sample::backend("a", true), sample::backend("b", true)};
  base.backends[0].library_files = {{"x", "/1/x"}, {"y", "/1/y"}, {"z", "/1/z"}};
  Result head = base;
  head.backends = {sample::backend("c", true), base.backends[0]};
  head.backends[1].library_files = {{"y", "/2/y"}, {"z", "/1/z"}, {"w", "/2/w"}};
  EXPECT_THAT(note_texts(lesser_differences(base, head)), ElementsAre("different file of y: /1/y → /2/y"));
}

}  // namespace
}  // namespace breakeven::verdicts_differences_test
