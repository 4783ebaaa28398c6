#include <gmock/gmock.h>

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "reports_sample.h"
#include "verdicts/candidate.h"
#include "verdicts/machines.h"

namespace breakeven {
namespace {

using testing::ElementsAre;
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
              ElementsAre("vm (Xeon)", "vm (EPYC) (2 CPUs)", "vm (EPYC) (8 CPUs)", "desk", "desk"));
}

TEST(Machines, OfOneNameAndProcessorsOfOneNameToo) {
  EXPECT_THAT(
      names_apart({host("vm", "EPYC", 2, zen4), host("vm", "EPYC", 2, zen5), host("vm", "EPYC", 2)}),
      ElementsAre("vm (AuthenticAMD family 25 model 17 stepping 1)",
                  "vm (AuthenticAMD family 26 model 2 stepping 1)", "vm (processor's numbers not known)"));
  EXPECT_THAT(
      names_apart({host("vm", "EPYC", 2, zen4, {"avx2"}), host("vm", "EPYC", 2, zen4, {"avx2", "avx512f"})}),
      ElementsAre("vm (with avx2)", "vm (with avx2 avx512f)"));
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

TEST(Candidates, ProcessorsOfOneNameAreNotMixed) {
  const auto run = [](const std::string& identity, double seconds) {
    Result made = sample::result({sample::product("a", 64, seconds)});
    made.host = host("vm", "EPYC", 2, identity);
    made.host.threads = 2;
    return made;
  };
  const std::vector<Result> runs{run(zen4, 2), run(zen5, 1)};
  const std::vector<Candidate> all = candidates(runs);
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_EQ(all[0].name, "EPYC, 2 threads (vm) (AuthenticAMD family 25 model 17 stepping 1)");
  EXPECT_EQ(all[1].name, "EPYC, 2 threads (vm) (AuthenticAMD family 26 model 2 stepping 1)");
  EXPECT_THAT(all[0].cases, SizeIs(1));
}

}  // namespace
}  // namespace breakeven
