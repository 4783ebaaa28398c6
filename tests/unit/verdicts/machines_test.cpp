#include "verdicts/machines.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "unit/messages.h"
#include "unit/reports_sample.h"
#include "verdicts/candidate.h"

namespace breakeven {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

constexpr const char* zen4 = "AuthenticAMD family 25 model 17 stepping 1";
constexpr const char* zen5 = "AuthenticAMD family 26 model 2 stepping 1";

Host host(const std::string& name, const std::string& cpu, int cpus, const std::string& identity = "",
          const std::vector<std::string>& features = {"avx2"}) {
  Host made;
  made.name = name;
  made.cpu = cpu;
  made.cpus = cpus;
  made.cpu_identity = identity;
  made.cpu_features = features;
  return made;
}

/// A virtual machine whose backends computed on GPUs of these names, with their names as ids.
Host vm_with(const std::vector<std::string>& gpus) {
  Host made = host("vm", "EPYC", 2, zen4);
  for (const std::string& name : gpus) {
    Gpu& gpu = made.gpus.emplace_back();
    gpu.name = gpu.id = name;
  }
  return made;
}

/// The same with GPUs of one name, and these ids.
Host vm_with_h200s(const std::vector<std::string>& ids) {
  Host made = vm_with(ids);
  for (Gpu& gpu : made.gpus) gpu.name = "H200";
  return made;
}

std::vector<Host*> pointers(std::vector<Host>& hosts) {
  std::vector<Host*> all;
  for (Host& one : hosts) all.push_back(&one);
  return all;
}

/// `part` of each after `change`.
std::vector<std::string> changed(std::vector<Host> hosts, void (*change)(std::span<Host* const>),
                                 std::string Host::*part) {
  change(pointers(hosts));
  std::vector<std::string> all;
  for (const Host& one : hosts) all.push_back(one.*part);
  return all;
}

std::vector<std::string> names_apart(std::vector<Host> hosts) {
  return changed(std::move(hosts), tell_machines_apart, &Host::name);
}

std::vector<std::string> identities_completed(std::vector<Host> hosts) {
  return changed(std::move(hosts), complete_identities, &Host::cpu_identity);
}

TEST(Machines, OfOneNameAreToldApart) {
  EXPECT_THAT(names_apart({host("vm", "Xeon", 2), host("vm", "EPYC", 2), host("vm", "EPYC", 8),
                           host("desk", "Xeon", 2), host("desk", "Xeon", 2)}),
              ElementsAre("vm: Xeon", "vm: EPYC, 2 CPUs", "vm: EPYC, 8 CPUs", "desk", "desk"));
}

TEST(Machines, OfOneNameAndProcessorsOfOneNameToo) {
  EXPECT_THAT(names_apart({host("vm", "EPYC", 2, zen4), host("vm", "EPYC", 2, zen5), host("vm", "EPYC", 2)}),
              ElementsAre("Zen 4", "Zen 5", "EPYC"));
  EXPECT_THAT(
      names_apart({host("vm", "EPYC", 2, zen4, {"avx2"}), host("vm", "EPYC", 2, zen4, {"avx2", "avx512f"})}),
      ElementsAre("with avx2", "with avx2 avx512f"));
}

TEST(Machines, HaveOneKeyOnlyWhereNothingTellsThemApart) {
  const Host one = host("vm", "EPYC", 2, zen4);
  EXPECT_EQ(machine_key(one), machine_key(host("vm", "EPYC", 2, zen4)));
  for (const Host& other :
       {host("other", "EPYC", 2, zen4), host("vm", "Xeon", 2, zen4), host("vm", "EPYC", 8, zen4),
        host("vm", "EPYC", 2, zen5), host("vm", "EPYC", 2), host("vm", "EPYC", 2, zen4, {"avx2", "avx512f"})})
    EXPECT_NE(machine_key(one), machine_key(other)) << machine_key(other);
}

TEST(Machines, WithGpusOfOtherNamesAreOthers) {
  EXPECT_NE(machine_key(vm_with({"H100"})), machine_key(vm_with({"H200"})));
  EXPECT_EQ(machine_key(vm_with({"H100", "H200"})), machine_key(vm_with({"H200", "H100"})));
  EXPECT_EQ(machine_key(vm_with_h200s({"GPU-1"})), machine_key(vm_with_h200s({"GPU-2"})))
      << "a file lists the GPUs that were computed on, not all that the machine has";
  EXPECT_THAT(names_apart({vm_with({"H100"}), vm_with({"H200"}), vm_with({})}),
              ElementsAre("H100", "H200", "Zen 4"));
}

/// The GPUs' ids of each host after complete_gpus(), joined.
std::vector<std::string> gpus_completed(std::vector<Host> hosts) {
  complete_gpus(pointers(hosts));
  std::vector<std::string> all;
  for (const Host& one : hosts) {
    std::string& ids = all.emplace_back();
    for (const Gpu& gpu : one.gpus) ids += gpu.id + " ";
  }
  return all;
}

TEST(Machines, AFileOfProcessorsIsOfTheOneMachineWithAGpuThatAgreesWithIt) {
  EXPECT_THAT(gpus_completed({vm_with({}), vm_with({"H100"})}), ElementsAre("H100 ", "H100 "));
  EXPECT_THAT(gpus_completed({vm_with({"H100"}), vm_with({}), vm_with({"H200"})}),
              ElementsAre("H100 ", "", "H200 "))
      << "it could be of either";
  EXPECT_THAT(gpus_completed({vm_with({}), vm_with({})}), ElementsAre("", ""));
  EXPECT_THAT(gpus_completed({host("desk", "EPYC", 2, zen4), vm_with({"H100"})}), ElementsAre("", "H100 "));
}

TEST(Machines, OfSeveralGpusAreOneWhicheverOfThemAFileLists) {
  EXPECT_THAT(gpus_completed({vm_with_h200s({"GPU-1"}), vm_with_h200s({"GPU-2"}), vm_with({})}),
              testing::Each("GPU-1 GPU-2 "));
  EXPECT_THAT(gpus_completed({vm_with({"L4"}), vm_with({"H100"}), vm_with({"L4", "H100"}), vm_with({})}),
              testing::Each("L4 H100 "))
      << "the third has both";
}

TEST(Machines, AnOlderFileIsOfTheOneMachineThatAgreesWithIt) {
  EXPECT_THAT(identities_completed({host("vm", "EPYC", 2), host("vm", "EPYC", 2, zen4)}),
              ElementsAre(zen4, zen4));
  // If several match, the right one is unknown; a machine with another name, processor, number or instruction
  // set does not match.
  EXPECT_THAT(
      identities_completed({host("vm", "EPYC", 2), host("vm", "EPYC", 2, zen4), host("vm", "EPYC", 2, zen5)}),
      ElementsAre("", zen4, zen5));
  EXPECT_THAT(
      identities_completed({host("other", "EPYC", 2), host("vm", "Xeon", 2), host("vm", "EPYC", 8),
                            host("vm", "EPYC", 2, "", {"avx2", "avx_vnni"}), host("vm", "EPYC", 2, zen4)}),
      ElementsAre("", "", "", "", zen4));
}

std::vector<std::string> labelled(std::vector<Host> hosts, const std::vector<MachineLabel>& labels) {
  std::vector<std::filesystem::path> files;
  for (std::size_t i = 0; i < hosts.size(); ++i) files.emplace_back(std::to_string(i) + ".json");
  take_recorded_names(pointers(hosts));
  apply_labels(pointers(hosts), files, labels);
  tell_machines_apart(pointers(hosts));
  std::vector<std::string> all;
  for (const Host& one : hosts) all.push_back(one.name);
  return all;
}

std::string why_not_labelled(std::vector<Host> hosts, const std::vector<MachineLabel>& labels) {
  return message_of<LabelError>([&] { labelled(std::move(hosts), labels); });
}

TEST(Labels, NameAMachineInAllOfItsFiles) {
  EXPECT_THAT(
      labelled({host("vm", "EPYC", 2, zen4), host("vm", "EPYC", 2, zen5), host("vm", "EPYC", 2, zen4)},
               {{.file = "2.json", .name = "cheap"}}),
      ElementsAre("cheap", "vm", "cheap"));
}

TEST(Labels, SetMachinesWithOtherGpusApart) {
  const std::vector<Host> two{vm_with({"H100"}), vm_with({"H200"})};
  EXPECT_THAT(labelled(two, {{.file = "0.json", .name = "a"}, {.file = "1.json", .name = "b"}}),
              ElementsAre("a", "b"));
  EXPECT_THAT(labelled(two, {{.file = "0.json", .name = "a"}}), ElementsAre("a", "vm"));
}

TEST(Labels, CountMoreThanWhatFilesRecord) {
  // Two virtual machines of one kind.
  const std::vector<Host> alike(2, vm_with({"H100"}));
  std::vector<MachineLabel> labels{{.file = "0.json", .name = "a"}, {.file = "1.json", .name = "b"}};
  EXPECT_THAT(labelled(alike, labels), ElementsAre("a", "b"));
  // A machine with two GPUs and a file of each.
  std::vector<Host> one{vm_with({"L4"}), vm_with({"H100"}), vm_with({})};
  labels = {
      {.file = "0.json", .name = "a"}, {.file = "1.json", .name = "a"}, {.file = "2.json", .name = "a"}};
  EXPECT_THAT(labelled(one, labels), testing::Each("a"));
  apply_labels(pointers(one), std::vector<std::filesystem::path>{"0.json", "1.json", "2.json"}, labels);
  EXPECT_EQ(machine_key(one[0]), machine_key(one[1]));
  EXPECT_EQ(machine_key(one[0]), machine_key(one[2]));
}

TEST(Labels, ThatSayNothingOrTwoThingsAreRefused) {
  const std::vector<Host> two{host("vm", "EPYC", 2, zen4), host("vm", "EPYC", 2, zen5)};
  EXPECT_THAT(why_not_labelled(two, {{.file = "0.json", .name = ""}}), HasSubstr("the name is empty"));
  EXPECT_THAT(why_not_labelled(two, {{.file = "0.json", .name = "a"}, {.file = "1.json", .name = "a"}}),
              HasSubstr("two machines would both be called 'a'"));
  EXPECT_THAT(why_not_labelled(two, {{.file = "0.json", .name = "a"}, {.file = "0.json", .name = "b"}}),
              HasSubstr("give it one name"));
  EXPECT_THAT(why_not_labelled(two, {{.file = "0.json", .name = "vm"}}), HasSubstr("already called 'vm'"));
  const std::vector<Host> alike(3, host("vm", "EPYC", 2, zen4));
  EXPECT_EQ(why_not_labelled(alike, {{.file = "0.json", .name = "a"}, {.file = "1.json", .name = "b"}}),
            "--label: 'a' and 'b' may each be the machine of 2.json; give this file a label, too");
}

Host named(Host made, const std::string& machine) {
  made.machine = machine;
  return made;
}

TEST(Labels, CountMoreThanTheNamesThatFilesRecord) {
  const std::vector<Host> hosts{named(host("vm", "EPYC", 2, zen4), "cheap"), host("vm", "EPYC", 2, zen4),
                                host("vm", "EPYC", 2, zen5), named(host("vm", "EPYC", 2, zen4), "cheap")};
  EXPECT_THAT(labelled(hosts, {}), ElementsAre("cheap", "cheap", "vm", "cheap"));
  EXPECT_THAT(labelled(hosts, {{.file = "0.json", .name = "old"}}), ElementsAre("old", "old", "vm", "old"));
  const std::vector<Host> two{named(host("vm", "EPYC", 2, zen4), "a"),
                              named(host("vm", "EPYC", 2, zen4), "b"), host("vm", "EPYC", 2, zen4)};
  EXPECT_THAT(labelled(two, {}), ElementsAre("a", "b", "vm")) << "the third may be either";
}

TEST(Labels, UnlikeProcessorsOfOneRecordedNameStayApart) {
  std::vector<Host> hosts{named(host("vm", "EPYC", 2, zen4), "a"), named(host("vm", "EPYC", 2, zen5), "a"),
                          named(host("vm-2", "EPYC", 2, zen5), "a")};
  EXPECT_THAT(labelled(hosts, {}), ElementsAre("Zen 4", "Zen 5", "Zen 5"))
      << "another name of the host alone is the same machine";
}

TEST(ShortNames, AreThoseOfTheGpusOrOfTheProcessorAndItsCores) {
  EXPECT_EQ(short_gpu_name("NVIDIA H100 80GB HBM3"), "H100");
  EXPECT_EQ(short_gpu_name("NVIDIA H200"), "H200");
  EXPECT_EQ(short_gpu_name("NVIDIA A100-SXM4-40GB"), "A100-SXM4-40GB");
  EXPECT_EQ(short_gpu_name("NVIDIA GeForce RTX 4090"), "GeForce RTX 4090");
  EXPECT_EQ(short_gpu_name(""), "");
  EXPECT_EQ(short_name(vm_with_h200s({"GPU-1", "GPU-2"})), "2 x H200");
  EXPECT_EQ(short_name(vm_with({"L4", "H100"})), "H100, L4");
  Host made = host("vm", "AMD EPYC", 2, zen5);
  EXPECT_EQ(short_name(made), "Zen 5") << "a file that does not say how many cores";
  made.cores = 2;
  EXPECT_EQ(short_name(made), "Zen 5, 2 cores");
  made.cores = 1;
  EXPECT_EQ(short_name(made), "Zen 5, 1 core");
}

TEST(ProcessorNames, AreShortAndKnown) {
  EXPECT_EQ(processor_generation(zen4), "Zen 4");
  EXPECT_EQ(processor_generation(zen5), "Zen 5");
  EXPECT_EQ(processor_generation("GenuineIntel family 6 model 143 stepping 8"), "Sapphire Rapids");
  EXPECT_EQ(processor_generation("GenuineIntel family 6 model 207 stepping 2"), "Emerald Rapids");
  EXPECT_EQ(processor_generation("implementer 0x41 part 0xd4f variant 0x0 revision 1"), "Neoverse V2");
  EXPECT_EQ(processor_generation("AuthenticAMD family 99 model 1 stepping 1"), "");
  EXPECT_EQ(processor_generation(""), "");
  EXPECT_EQ(processor_name(host("", "AMD EPYC", 2, zen4)), "Zen 4");
  EXPECT_EQ(processor_name(host("", "AMD EPYC", 2)), "AMD EPYC");
  EXPECT_EQ(processor_name(host("", "Intel(R) Xeon(R) Processor", 2)), "Intel Xeon Processor");
  EXPECT_EQ(processor_name(host("", "AMD EPYC 9654 96-Core Processor", 96, zen4)), "EPYC 9654");
  EXPECT_EQ(processor_name(host("", "Intel(R) Xeon(R) Platinum 8480+", 56)), "Xeon Platinum 8480+");
  EXPECT_EQ(processor_name(host("", "EPYC 9654 @ " + std::string(1'000'000, 'x'), 96)), "EPYC 9654");
  EXPECT_EQ(processor_name(host("", "Intel(R) Xeon(R) Processor @ 2.60GHz", 2,
                                "GenuineIntel family 6 model 143 stepping 8")),
            "Sapphire Rapids");
  EXPECT_EQ(processor_name(host("", "Intel(R) Core(TM) i7-8700 CPU @ 3.20GHz", 6)), "Core i7-8700");
  EXPECT_EQ(processor_name(host("", "unknown CPU", 4, "implementer 0x41 part 0xd4f variant 0x0 revision 1")),
            "Neoverse V2");
}

/// The models of each generation, by Linux' lists; what is not in them has no name.
TEST(ProcessorNames, OfGenerationsAreByFamilyAndModel) {
  const auto amd = [](int family, int model) {
    return processor_generation(fmt::format("AuthenticAMD family {} model {} stepping 1", family, model));
  };
  struct Models {
    int family, first, last;
    const char* name;
  };
  for (const Models& of : {Models{0x17, 0x00, 0x2f, "Zen 1"}, Models{0x17, 0x30, 0x4f, "Zen 2"},
                           Models{0x17, 0x50, 0x5f, "Zen 1"}, Models{0x17, 0x60, 0x7f, "Zen 2"},
                           Models{0x17, 0x90, 0x91, "Zen 2"}, Models{0x17, 0xa0, 0xaf, "Zen 2"},
                           Models{0x19, 0x00, 0x0f, "Zen 3"}, Models{0x19, 0x10, 0x1f, "Zen 4"},
                           Models{0x19, 0x20, 0x5f, "Zen 3"}, Models{0x19, 0x60, 0xaf, "Zen 4"},
                           Models{0x1a, 0x00, 0x2f, "Zen 5"}, Models{0x1a, 0x40, 0x4f, "Zen 5"},
                           Models{0x1a, 0x60, 0x7f, "Zen 5"}}) {
    EXPECT_EQ(amd(of.family, of.first), of.name) << of.family << " " << of.first;
    EXPECT_EQ(amd(of.family, of.last), of.name) << of.family << " " << of.last;
  }
  const std::map<int, std::vector<int>> unknown_by_family{{0x16, {0x00}},
                                                          {0x17, {0x80, 0x8f, 0x92, 0x9f, 0xb0}},
                                                          {0x18, {0x10}},
                                                          {0x19, {0xb0}},
                                                          {0x1a, {0x30, 0x3f, 0x50, 0x5f, 0x80}}};
  for (const auto& [family, models] : unknown_by_family) {
    for (const int model : models) EXPECT_EQ(amd(family, model), "") << family << " " << model;
  }

  const std::map<std::string, std::vector<int>> intel_models{{"Haswell", {0x3f}},
                                                             {"Broadwell", {0x4f, 0x56}},
                                                             {"Skylake", {0x4e, 0x5e}},
                                                             {"Skylake to Cooper Lake", {0x55}},
                                                             {"Ice Lake", {0x6a, 0x6c, 0x7d, 0x7e}},
                                                             {"Tiger Lake", {0x8c, 0x8d}},
                                                             {"Sapphire Rapids", {0x8f}},
                                                             {"Alder Lake", {0x97, 0x9a}},
                                                             {"Granite Rapids", {0xad, 0xae}},
                                                             {"Sierra Forest", {0xaf}},
                                                             {"Raptor Lake", {0xb7, 0xba}},
                                                             {"Emerald Rapids", {0xcf}},
                                                             {"", {0x3e, 0x7c, 0x8e, 0xac, 0xd0}}};
  for (const auto& [name, models] : intel_models) {
    for (const int model : models)
      EXPECT_EQ(processor_generation(fmt::format("GenuineIntel family 6 model {} stepping 1", model)), name)
          << model;
  }
  EXPECT_EQ(processor_generation("GenuineIntel family 7 model 143 stepping 8"), "");

  const auto arm = [](const std::string& implementer, const std::string& part) {
    return processor_generation("implementer " + implementer + " part " + part + " variant 0x1 revision 0");
  };
  for (const auto& [part, name] : std::map<std::string, std::string>{{"0xd0c", "Neoverse N1"},
                                                                     {"0xd40", "Neoverse V1"},
                                                                     {"0xd41", ""},
                                                                     {"0xd49", "Neoverse N2"},
                                                                     {"0xd4f", "Neoverse V2"},
                                                                     {"0xd84", "Neoverse V3"},
                                                                     {"0xd8e", "Neoverse N3"}})
    EXPECT_EQ(arm("0x41", part), name) << part;
  EXPECT_EQ(arm("0x42", "0xd0c"), "") << "another maker's";
}

TEST(ProcessorNames, OfBrokenIdentitiesAreNone) {
  for (const char* broken :
       {"AuthenticAMD", "AuthenticAMD family 25", "AuthenticAMD model 17", "AuthenticAMD family x model 17",
        "AuthenticAMD family 25 model ", "AuthenticAMD xfamily 25 model 17", "implementer 0x part 0xd0c",
        "AuthenticAMD family 99999999999 model 17"})
    EXPECT_EQ(processor_generation(broken), "") << broken;
}

TEST(Candidates, ProcessorsOfOneNameAreNotMixed) {
  const auto run = [](const std::string& identity, double seconds) {
    Result made = sample::result({sample::product("a", 64, seconds)});
    made.host = host("vm", "EPYC", 2, identity);
    made.host.threads = made.host.cores = 2;
    return made;
  };
  const std::vector<Result> runs{run(zen4, 2), run(zen5, 1)};
  const std::vector<Candidate> all = candidates(runs);
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_EQ(all[0].name, "Zen 4, 2 cores");
  EXPECT_EQ(all[1].name, "Zen 5, 2 cores");
  EXPECT_THAT(all[0].cases, SizeIs(1));
}

TEST(Candidates, OfOneNameSayWhatTellsThemApart) {
  const auto run = [](const std::string& machine, int threads, const std::vector<std::string>& features) {
    Result made = sample::result({sample::product("a", 64, 1)});
    made.host = host(machine, "EPYC", 2, zen4, features);
    made.host.cores = 2;
    made.host.threads = threads;
    return made;
  };
  const auto names = [](const std::vector<Result>& runs) {
    std::vector<std::string> all;
    for (const Candidate& one : candidates(runs)) all.push_back(one.name);
    return all;
  };
  EXPECT_THAT(names({run("a", 2, {"avx2"}), run("b", 2, {"avx2"})}),
              ElementsAre("Zen 4, 2 cores (a)", "Zen 4, 2 cores (b)"));
  EXPECT_THAT(names({run("a", 2, {"avx2"}), run("a", 1, {"avx2"})}),
              ElementsAre("Zen 4, 2 cores", "Zen 4, 1 thread"));
  EXPECT_THAT(names({run("a", 2, {"avx2"}), run("a", 2, {"fma"})}),
              ElementsAre("Zen 4, 2 cores (with avx2)", "Zen 4, 2 cores (with fma)"));
}

TEST(Candidates, OfOneProcessorInTwoMachinesSayBesideWhichGpu) {
  std::vector<Result> runs(3, sample::result({sample::product("a", 64, 1)}));
  runs[0].host = vm_with({"H100"});
  runs[1].host = vm_with({"H200"});
  runs[2].host = vm_with({});
  std::vector<std::string> names;
  for (const Candidate& one : candidates(runs)) names.push_back(one.name);
  EXPECT_THAT(names, ElementsAre(HasSubstr(" (machine with H100)"), HasSubstr(" (machine with H200)"),
                                 HasSubstr(" (CPU alone)")));
}

TEST(Candidates, OfOneLabelAreTheDevicesOfOneMachine) {
  CaseResult on_gpu = sample::on_gpu(sample::product("cuda", 64, 1));
  Result run = sample::result({sample::product("a", 64, 1), on_gpu});
  run.host.is_labelled = true;
  run.host.name = "the box";
  BackendRecord cuda = sample::backend("cuda", true);
  cuda.device_name = "A GPU";
  cuda.device_id = "GPU-1";
  run.backends = {sample::backend("a", true), cuda, sample::backend("jax", false, "not installed")};
  Gpu gpu{};
  gpu.id = "GPU-1";
  gpu.memory_bytes = std::int64_t{16} << 30U;
  run.host.gpus = {Gpu{}, gpu};
  const std::vector<Result> runs{run};
  const std::vector<Candidate> all = candidates(runs);
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_EQ(all[0].name, "the box's CPU");
  EXPECT_EQ(all[1].name, "the box");
  EXPECT_TRUE(all[0].is_cpu);
  EXPECT_FALSE(all[1].is_cpu);
  EXPECT_EQ(all[0].device, "A CPU");
  EXPECT_EQ(all[1].device, "A GPU");
  EXPECT_FALSE(all[0].memory_bytes);
  EXPECT_EQ(all[1].memory_bytes, std::int64_t{16} << 30U);
  ASSERT_THAT(all[0].backends, SizeIs(1));
  EXPECT_EQ(all[0].backends[0]->name, "a");
  ASSERT_THAT(all[1].lacking, SizeIs(1)) << "of its machine";
  EXPECT_EQ(all[1].lacking[0]->reason, "not installed");
}

/// A GPU without an id goes by its name, and without a record of its backend by what the case says.
TEST(Candidates, AreDevicesByTheirIdOrName) {
  const auto on = [](const std::string& id, const std::string& device_name, bool has_record = true) {
    Result run = sample::result({sample::on_gpu(sample::product("cuda", 64, 1))});
    BackendRecord cuda = sample::backend(has_record ? "cuda" : "other", true);
    cuda.device_id = id;
    cuda.device_name = device_name;
    run.backends = {cuda};
    return run;
  };
  const auto are_one_device = [](const Result& a, const Result& b) {
    const std::vector<MeasuredCase> cases = cases_of({&a, &b});
    return cases[0].device == cases[1].device;
  };
  EXPECT_TRUE(are_one_device(on("GPU-1", "A"), on("GPU-1", "B")));
  EXPECT_FALSE(are_one_device(on("GPU-1", "A"), on("GPU-2", "A")));
  EXPECT_FALSE(are_one_device(on("", "A"), on("", "B")));
  EXPECT_TRUE(are_one_device(on("GPU-1", "A", false), on("GPU-2", "B", false)));
  const Result two = sample::result({sample::product("a", 64, 1)});
  Result one = two;
  one.host.threads = 1;
  EXPECT_FALSE(are_one_device(one, two)) << "other threads are another device";
}

/// Two cards of one model, each in a file of its own, are one device where the user gives them one name.
TEST(Candidates, OfOneModelAreOneDeviceInAMachineThatTheUserNamed) {
  const auto with_gpus = [](const std::vector<std::string>& ids) {
    Result run = sample::result({});
    run.backends.clear();
    run.host.is_labelled = true;
    for (const std::string& id : ids) {
      run.cases.push_back(sample::on_gpu(sample::product(id, 64, 1)));
      BackendRecord& backend = run.backends.emplace_back(sample::backend(id, true));
      backend.device_id = id;
      backend.device_name = "H200";
    }
    return run;
  };
  std::vector<Result> runs{with_gpus({"GPU-1"}), with_gpus({"GPU-2"})};
  EXPECT_THAT(candidates(runs), SizeIs(1));
  const std::vector<Result> both{with_gpus({"GPU-1", "GPU-2"})};
  EXPECT_THAT(candidates(both), SizeIs(2)) << "a run with both tells them apart";
  for (Result& run : runs) run.host.is_labelled = false;
  EXPECT_THAT(candidates(runs), SizeIs(2));
}

/// The latest run's counts, whatever the order of the files.
TEST(Candidates, HaveTheNewestOfEachBackend) {
  Result earlier = sample::result({sample::product("a", 64, 1), sample::product("b", 64, 3)});
  Result later = sample::result({sample::product("a", 64, 2)});
  earlier.backends = {sample::backend("a", true), sample::backend("c", false, "was not there")};
  later.backends = {sample::backend("a", true), sample::backend("c", false, "is not there")};
  later.backends[0].version = "2";
  later.created = "2026-11-02T12:00:00Z";
  const std::vector<Result> runs{later, earlier};
  const std::vector<Candidate> all = candidates(runs);
  ASSERT_THAT(all, SizeIs(1));
  const auto& results = all[0].cases.at("matmul/m=64/n=64/k=64/f32");
  ASSERT_THAT(results, SizeIs(2));
  for (const MeasuredCase& one : results)
    EXPECT_EQ(one.result->seconds->median, one.result->backend == "a" ? 2 : 3);
  ASSERT_THAT(all[0].backends, SizeIs(1));
  EXPECT_EQ(all[0].backends[0]->version, "2");
  ASSERT_THAT(all[0].lacking, SizeIs(1));
  EXPECT_EQ(all[0].lacking[0]->reason, "is not there");
}

/// An interrupted run lists every case, and has not measured most of them.
TEST(Candidates, KeepWhatAnInterruptedRunDidNotMeasure) {
  const CaseResult timed = sample::product("a", 64, 1);
  Result complete = sample::result({timed});
  Result interrupted = sample::result({sample::refused(timed, Status::interrupted, "not measured yet")});
  complete.backends = interrupted.backends = {sample::backend("a", true)};
  interrupted.created = "2026-11-02T12:00:00Z";
  for (const auto& runs : {std::vector{complete, interrupted}, std::vector{interrupted, complete}})
    EXPECT_EQ(candidates(runs).at(0).results_of(timed.id)[0].result->status, Status::ok);
  complete.created = "2026-11-03T12:00:00Z";
  EXPECT_EQ(candidates(std::vector{complete, interrupted}).at(0).results_of(timed.id)[0].result->status,
            Status::ok);
}

/// The names of two GPUs called "A GPU" with these identifiers.
std::vector<std::string> names_of_gpus(const std::string& first, const std::string& second) {
  std::vector<Result> runs(2, sample::result({sample::on_gpu(sample::product("cuda", 64, 1))}));
  for (std::size_t i = 0; i < 2; ++i) {
    BackendRecord cuda = sample::backend("cuda", true);
    cuda.device_name = "A GPU";
    cuda.device_id = i == 0 ? first : second;
    runs[i].backends = {cuda};
  }
  std::vector<std::string> names;
  for (const Candidate& one : candidates(runs)) names.push_back(one.name);
  return names;
}

TEST(Candidates, GpusOfOneNameHaveTheirIdentifiers) {
  EXPECT_THAT(names_of_gpus("GPU-d2acd226-ca09-5f15", "GPU-af10d30f-a58f-c5f6"),
              ElementsAre("A GPU (GPU-d2acd226)", "A GPU (GPU-af10d30f)"));
}

TEST(Candidates, ThatNothingTellsApartAreNumbered) {
  EXPECT_THAT(names_of_gpus("GPU-d2acd226-1", "GPU-d2acd226-2"), ElementsAre("A GPU (1)", "A GPU (2)"));
}

TEST(Machines, KeepTheNameOfTheirFile) {
  std::vector<Host> two{host("vm", "Xeon", 2), host("vm", "EPYC", 2)};
  tell_machines_apart(pointers(two));
  EXPECT_EQ(two[0].name, "Xeon");
  EXPECT_EQ(two[0].own_name, "vm");
  EXPECT_EQ(two[0].recorded_name(), "vm");
  std::vector<Host> alone{host("vm", "Xeon", 2)};
  tell_machines_apart(pointers(alone));
  EXPECT_EQ(alone[0].name, "vm");
  EXPECT_EQ(alone[0].own_name, "");
  tell_machines_apart({});
}

TEST(Labels, SayWhichFilesThereAre) {
  const std::vector<Host> six(6, host("vm", "EPYC", 2));
  EXPECT_EQ(why_not_labelled(six, {{.file = "7.json", .name = "a"}}),
            "--label 7.json=a: this file is not among those that are read; they are 0.json, 1.json, 2.json, "
            "3.json, 4.json, ...");
  EXPECT_EQ(why_not_labelled({six.begin(), six.begin() + 5}, {{.file = "7.json", .name = "a"}}),
            "--label 7.json=a: this file is not among those that are read; they are 0.json, 1.json, 2.json, "
            "3.json, 4.json");
  EXPECT_THAT(labelled(six, {}), testing::Each("vm"));
  EXPECT_THAT(labelled(six, {{.file = "0.json", .name = "vm"}}), testing::Each("vm"))
      << "its own name is no other machine's";
}

}  // namespace
}  // namespace breakeven
