// The built driver, run from a test in a folder of its own, with simulated backends.
#pragma once

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/process.h"
#include "unit/temporary_folder.h"

namespace breakeven::cli_tests {

using Json = nlohmann::json;

/// One request that a simulated backend met.
struct Logged {
  std::string backend;
  pid_t process = 0;
  std::string request;  // or "start"
  std::string case_id;
};

class DriverTest : public testing::Test {
 protected:
  /// Links to the simulated backend, named `a` and `b`; and, where BREAKEVEN_EMULATED_CUDA names its folder,
  /// to the CUDA backend on an emulated device, which then is the one there is.
  DriverTest();

  /// What `breakeven ARGUMENTS` does. Simulated backends behave as `simulated` says and write a log.
  Launch launch(std::vector<std::string> arguments, const std::string& simulated = "") const;
  Outcome breakeven(std::vector<std::string> arguments, const std::string& simulated = "") const {
    return run(launch(std::move(arguments), simulated));
  }

  /// A config of `backends` and products of these sizes, with a second to measure each and seconds to answer.
  std::filesystem::path products(const std::vector<int>& sizes,
                                 const std::vector<std::string>& backends = {"a", "b"}) const;
  /// The same for any workloads; `measure` goes over the usual settings.
  std::filesystem::path config(const Json& workloads, const std::vector<std::string>& backends = {"a", "b"},
                               const Json& measure = Json::object()) const;

  /// What is preloaded to plant faults, of tests/planted_faults.
  static std::filesystem::path planted(const std::string& library);

  /// Why a backend beside the driver cannot be used here; empty where it can.
  std::string why_unavailable(const std::string& backend) const;

  std::filesystem::path file(const std::string& name) const { return folder_.path() / name; }
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    return folder_.write(name, text);
  }
  std::vector<Logged> logged() const;
  int processes(const std::string& backend) const;

  TemporaryFolder folder_;
};

/// Strict: no NaN, no comments. A test failure and null where it is not JSON.
Json parse(const std::string& text);
Json parse_file(const std::filesystem::path& path);
std::string text_of(const std::filesystem::path& path);

/// The case of `result` with this id and backend; a test failure and an empty object where there is none.
Json find_case(const Json& result, const std::string& id, const std::string& backend);
inline std::string product_id(int size) {
  return fmt::format("matmul/m={0}/n={0}/k={0}/f32", size);
}
/// What GoogleTest takes for a test's name: all but letters and digits replaced.
std::string test_name(std::string text);
/// One line a case that is not ok: "ID BACKEND STATUS: REASON".
std::vector<std::string> not_ok(const Json& result);

}  // namespace breakeven::cli_tests
