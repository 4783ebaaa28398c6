#include "session/identity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>

#include "unit/temporary_folder.h"
#include "unit/variable_for_now.h"

namespace breakeven {
namespace {

using ::testing::HasSubstr;

answer::Hello good_hello() {
  answer::Hello hello;
  hello.name = "mine";
  hello.version = "1";
  hello.device_name = "a processor";
  hello.libraries = {{"openblas", "0.3.21, kernels for Zen"}};
  hello.library_files = {{"openblas", "/lib/openblas.so"}};
  hello.supports = {{"matmul", {"f32", "f64"}}};
  return hello;
}

constexpr const char* own_program = "/bin/breakeven-backend-mine";

struct Change {
  const char* what;  // the message says
  std::function<void(answer::Hello&)> make;
};

/// Everything in a hello that makes it another program's.
const std::vector<Change>& changes() {
  static const std::vector<Change> all{
      {"name mine -> other", [](auto& h) { h.name = "other"; }},
      {"version 1 -> 2", [](auto& h) { h.version = "2"; }},
      {"role contender -> arbiter", [](auto& h) { h.role = "arbiter"; }},
      {"device cpu -> gpu", [](auto& h) { h.device = "gpu"; }},
      {"device_name a processor -> another", [](auto& h) { h.device_name = "another"; }},
      {"device_id none -> GPU-1", [](auto& h) { h.device_id = "GPU-1"; }},
      {"openblas 0.3.21, kernels for Zen -> 0.3.5, kernels for Zen",
       [](auto& h) {
         h.libraries = {{"openblas", "0.3.5, kernels for Zen"}};
       }},
      {"openblas 0.3.21, kernels for Zen -> 0.3.21, kernels for Haswell",
       [](auto& h) {
         h.libraries = {{"openblas", "0.3.21, kernels for Haswell"}};
       }},
      {"openblas 0.3.21, kernels for Zen -> none", [](auto& h) { h.libraries.clear(); }},
      {"extra work none -> 5 %", [](auto& h) { h.libraries.emplace_back("extra work", "5 %"); }},
      {"simulated clock none -> yes", [](auto& h) { h.libraries.emplace_back("simulated clock", "yes"); }},
      {"file of openblas /lib/openblas.so -> /opt/openblas.so",
       [](auto& h) {
         h.library_files = {{"openblas", "/opt/openblas.so"}};
       }},
      {"matmul in f32, f64 -> in f32",
       [](auto& h) {
         h.supports = {{"matmul", {"f32"}}};
       }},
      {"conv2d none -> in f32",
       [](auto& h) { h.supports.emplace_back("conv2d", std::vector<std::string>{"f32"}); }},
  };
  return all;
}

TEST(Identity, IsTheSameForTheSameHello) {
  answer::Hello later = good_hello();
  later.warnings = {"something is slow"};
  later.notes = {"something else"};
  later.unreadable = {{"joules", "no counter"}};
  later.supports = {{"matmul", {"f64", "f32"}}};
  EXPECT_EQ(difference_of_programs(to_record(own_program, good_hello()), to_record(own_program, later)), "");
}

TEST(Identity, IsAnothersForEachDifference) {
  for (const Change& change : changes()) {
    answer::Hello later = good_hello();
    change.make(later);
    EXPECT_EQ(difference_of_programs(to_record(own_program, good_hello()), to_record(own_program, later)),
              change.what);
  }
}

TEST(Identity, IsAnothersIfItsFileWasReplaced) {
  const TemporaryFolder folder;
  const auto file = folder.write("breakeven-backend-mine", "one");
  const BackendRecord before = to_record(file, good_hello());
  std::ofstream(file) << "another";
  EXPECT_EQ(difference_of_programs(before, to_record(file, good_hello())), file.string() + " was replaced");
}

TEST(HelloFault, IsNoneInAGoodOne) {
  EXPECT_EQ(hello_fault(good_hello(), own_program), "");
  EXPECT_EQ(hello_fault(good_hello(), "/somewhere/under-development"), "") << "not found by its name";
  answer::Hello newer = good_hello();
  newer.supports.emplace_back("operation_of_the_future", std::vector<std::string>{"f4"});
  EXPECT_EQ(hello_fault(newer, own_program), "");
}

TEST(HelloFault, NamesWhatIsWrong) {
  const std::vector<Change> faults{
      {"'name' is empty", [](auto& h) { h.name = ""; }},
      {"'name' is 'LIAR', and its file is breakeven-backend-mine", [](auto& h) { h.name = "LIAR"; }},
      {"'name' is '../../etc'", [](auto& h) { h.name = "../../etc"; }},
      {"'name' has 100000 bytes, and 100 are allowed", [](auto& h) { h.name = std::string(100'000, 'n'); }},
      {"'device' is 'tpu' and must be cpu or gpu", [](auto& h) { h.device = "tpu"; }},
      {"'role' is 'king' and must be contender or arbiter", [](auto& h) { h.role = "king"; }},
      {"'supports' names the dtype 'f99' of matmul",
       [](auto& h) {
         h.supports = {{"matmul", {"f99"}}};
       }},
      {"'supports' is empty", [](auto& h) { h.supports.clear(); }},
      {"a text of 5000 bytes", [](auto& h) { h.device_name = std::string(5000, 'x'); }},
      {"2011 texts", [](auto& h) { h.warnings.assign(2000, "w"); }},
      {"set BREAKEVEN_SIMULATED_CLOCK=1",
       [](auto& h) { h.libraries.emplace_back("simulated clock", "yes"); }},
  };
  for (const Change& fault : faults) {
    answer::Hello hello = good_hello();
    fault.make(hello);
    EXPECT_THAT(hello_fault(hello, own_program), HasSubstr(fault.what));
  }
}

TEST(HelloFault, ASimulatedClockIsForTests) {
  answer::Hello hello = good_hello();
  hello.libraries.emplace_back("simulated clock", "yes");
  EXPECT_NE(hello_fault(hello, own_program), "");
  const VariableForNow set(simulated_clock_variable, "1");
  EXPECT_EQ(hello_fault(hello, own_program), "");
}

}  // namespace
}  // namespace breakeven
