#include <gmock/gmock.h>

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "reports_sample.h"
#include "verdicts/candidate.h"
#include "verdicts/machines.h"
#include "verdicts/processor_name.h"

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
  EXPECT_THAT(
      names_apart({host("vm", "EPYC", 2, zen4), host("vm", "EPYC", 2, zen5), host("vm", "EPYC", 2)}),
ElementsAre("EPYC Zen 4", "EPYC Zen 5", "EPYC"));
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

TEST(Machines, AnOlderFileIsOfTheOneMachineThatAgreesWithIt) {
  EXPECT_THAT(identities_completed({host("vm", "EPYC", 2), host("vm", "EPYC", 2, zen4)}),
              ElementsAre(zen4, zen4));
  // Of several nobody knows which; of another name, processor, number or instruction set it is none.
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
  apply_labels(pointers(hosts), files, labels);
  tell_machines_apart(pointers(hosts));
  std::vector<std::string> all;
  for (const Host& one : hosts) all.push_back(one.name);
  return all;
}

std::string why_not_labelled(std::vector<Host> hosts, const std::vector<MachineLabel>& labels) {
  try {
    labelled(std::move(hosts), labels);
  } catch (const LabelError& e) {
    return e.what();
  }
  return "was accepted";
}

TEST(Labels, NameAMachineInAllOfItsFiles) {
  EXPECT_THAT(
      labelled({host("vm", "EPYC", 2, zen4), host("vm", "EPYC", 2, zen5), host("vm", "EPYC", 2, zen4)},
               {{.file = "2.json", .name = "cheap"}}),
      ElementsAre("cheap", "vm", "cheap"));
}

TEST(Labels, ThatSayNothingOrTwoThingsAreRefused) {
  const std::vector<Host> two{host("vm", "EPYC", 2, zen4), host("vm", "EPYC", 2, zen5)};
  EXPECT_THAT(why_not_labelled(two, {{.file = "0.json", .name = ""}}), HasSubstr("the name is empty"));
  EXPECT_THAT(why_not_labelled(two, {{.file = "7.json", .name = "a"}}),
              HasSubstr("not among those that are read; they are 0.json, 1.json"));
  EXPECT_THAT(why_not_labelled(two, {{.file = "0.json", .name = "a"}, {.file = "1.json", .name = "a"}}),
              HasSubstr("two machines would both be called 'a'"));
  EXPECT_THAT(why_not_labelled(two, {{.file = "0.json", .name = "a"}, {.file = "0.json", .name = "b"}}),
              HasSubstr("give it one name"));
  EXPECT_THAT(why_not_labelled(two, {{.file = "0.json", .name = "vm"}}), HasSubstr("already called 'vm'"));
}

TEST(ProcessorNames, AreShortAndKnown) {
  EXPECT_EQ(processor_generation(zen4), "Zen 4");
  EXPECT_EQ(processor_generation(zen5), "Zen 5");
  EXPECT_EQ(processor_generation("GenuineIntel family 6 model 143 stepping 8"), "Sapphire Rapids");
  EXPECT_EQ(processor_generation("GenuineIntel family 6 model 207 stepping 2"), "Emerald Rapids");
  EXPECT_EQ(processor_generation("implementer 0x41 part 0xd4f variant 0x0 revision 1"), "Neoverse V2");
  EXPECT_EQ(processor_generation("AuthenticAMD family 99 model 1 stepping 1"), "");
  EXPECT_EQ(processor_generation(""), "");
  EXPECT_EQ(processor_name(host("", "AMD EPYC", 2, zen4)), "EPYC Zen 4");
  EXPECT_EQ(processor_name(host("", "AMD EPYC", 2)), "AMD EPYC");
  EXPECT_EQ(processor_name(host("", "Intel(R) Xeon(R) Processor", 2)), "Intel Xeon Processor");
  EXPECT_EQ(processor_name(host("", "AMD EPYC 9654 96-Core Processor", 96, zen4)), "EPYC 9654");
  EXPECT_EQ(processor_name(host("", "Intel(R) Xeon(R) Platinum 8480+", 56)), "Xeon Platinum 8480+");
  EXPECT_EQ(processor_name(host("", "Intel(R) Xeon(R) Processor @ 2.60GHz", 2,
                                "GenuineIntel family 6 model 143 stepping 8")),
            "Xeon Sapphire Rapids");
  EXPECT_EQ(processor_name(host("", "Intel(R) Core(TM) i7-8700 CPU @ 3.20GHz", 6)), "Core i7-8700");
  EXPECT_EQ(processor_name(host("", "unknown CPU", 4, "implementer 0x41 part 0xd4f variant 0x0 revision 1")),
            "Neoverse V2");
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
  EXPECT_EQ(all[0].name, "EPYC Zen 4, 2 cores");
  EXPECT_EQ(all[1].name, "EPYC Zen 5, 2 cores");
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
              ElementsAre("EPYC Zen 4, 2 cores (a)", "EPYC Zen 4, 2 cores (b)"));
  EXPECT_THAT(names({run("a", 2, {"avx2"}), run("a", 1, {"avx2"})}),
              ElementsAre("EPYC Zen 4, 2 cores", "EPYC Zen 4, 1 thread"));
  EXPECT_THAT(names({run("a", 2, {"avx2"}), run("a", 2, {"fma"})}),
              ElementsAre("EPYC Zen 4, 2 cores (with avx2)", "EPYC Zen 4, 2 cores (with fma)"));
}

}  // namespace
}  // namespace breakeven
