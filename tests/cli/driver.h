// Runs the built driver from a test, in its own folder, with simulated backends.
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

/// A request that a simulated backend received.
struct Logged {
  std::string backend;
  pid_t process = 0;
  std::string request;  // or "start"
  std::string case_id;
};

class DriverTest : public testing::Test {
 protected:
  /// Links the simulated backend under the names `a` and `b`. If BREAKEVEN_EMULATED_CUDA names a folder, also
  /// links the CUDA backend for an emulated device, which is then the only CUDA backend.
  DriverTest();

  /// A launch of `breakeven ARGUMENTS`. Simulated backends behave as `simulated` says and write a log.
  Launch launch(std::vector<std::string> arguments, const std::string& simulated = "") const;
  Outcome breakeven(std::vector<std::string> arguments, const std::string& simulated = "") const {
    return run(launch(std::move(arguments), simulated));
  }

  /// The result of `run CONFIG`, which must succeed.
  Json result_of_run(const std::filesystem::path& config, const std::string& simulated = "") const;

  /// Writes a config of `backends` and products of these sizes, with a second to measure each and seconds to
  /// answer. `measure` replaces these settings.
  std::filesystem::path products(const std::vector<int>& sizes,
                                 const std::vector<std::string>& backends = {"a", "b"},
                                 const Json& measure = Json::object()) const;
  /// The same for any workloads.
  std::filesystem::path config(const Json& workloads, const std::vector<std::string>& backends = {"a", "b"},
                               const Json& measure = Json::object()) const;

  /// The path of a library from tests/planted_faults, to be preloaded.
  static std::filesystem::path planted(const std::string& library);

  /// The reason why a backend beside the driver cannot be used here; empty if it can.
  std::string why_unavailable(const std::string& backend) const;

  std::filesystem::path file(const std::string& name) const { return folder_.path() / name; }
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    return folder_.write(name, text);
  }
  std::vector<Logged> logged() const;
  /// How often this was requested, of all backends.
  std::size_t requested(const std::string& request) const;
  int processes(const std::string& backend) const;

  TemporaryFolder folder_;
};

/// Lets mpirun start ranks as root, and more of them than this machine has cores if `oversubscribe`.
void prepare_for_mpirun(bool oversubscribe = true);

/// Parses strictly: no NaN, no comments. Adds a test failure and returns null if the text is not JSON.
Json parse(const std::string& text);
Json parse_file(const std::filesystem::path& path);
std::string text_of(const std::filesystem::path& path);

/// Returns the case of `result` with this id and backend. Adds a test failure and returns an empty object if
/// there is none.
Json find_case(const Json& result, const std::string& id, const std::string& backend);
inline std::string product_id(int size) {
  return fmt::format("matmul/m={0}/n={0}/k={0}/f32", size);
}
/// A valid name of a GoogleTest test: replaces everything but letters and digits.
std::string test_name(std::string text);
/// One line for each case that is not ok: "ID BACKEND STATUS: REASON".
std::vector<std::string> not_ok(const Json& result);

}  // namespace breakeven::cli_tests
