#include "cli/driver.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

namespace breakeven::cli_tests {
namespace {

/// The folder of the CUDA backend for an emulated device; null if the tests use a real device.
const char* emulated_cuda() {
  return std::getenv("BREAKEVEN_EMULATED_CUDA");
}

}  // namespace

void prepare_for_mpirun(bool oversubscribe) {
  setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
  setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
  setenv("OMPI_MCA_rmaps_base_oversubscribe", oversubscribe ? "1" : "0", 1);
  const char* const policy = "PRTE_MCA_rmaps_default_mapping_policy";  // Open MPI 5 reads only this one
  if (oversubscribe) {
    setenv(policy, ":oversubscribe", 1);
  } else {
    unsetenv(policy);
  }
  setenv("ASAN_OPTIONS", "detect_leaks=0", 1);  // MPI leaks
}

DriverTest::DriverTest() {
  std::filesystem::create_directories(file("backends"));
  for (const char* name : {"a", "b"}) {
    std::filesystem::create_symlink(SIMULATED_BACKEND,
                                    file("backends") / fmt::format("breakeven-backend-{}", name));
  }
  if (const char* folder = emulated_cuda()) {
    const auto* const program = "breakeven-backend-cuda";
    std::filesystem::create_symlink(std::filesystem::path(folder) / program, file("backends") / program);
  }
}

Launch DriverTest::launch(std::vector<std::string> arguments, const std::string& simulated) const {
  return {.program = BREAKEVEN_DRIVER,
          .arguments = std::move(arguments),
          .environment = {{"BREAKEVEN_BACKENDS", file("backends").string()},
                          {"BREAKEVEN_SIMULATED", fmt::format("log={}{}{}", file("log").string(),
                                                              simulated.empty() ? "" : ",", simulated)},
                          {"BREAKEVEN_SIMULATED_CLOCK", "1"},
                          {"BREAKEVEN_REFERENCE_CACHE", "0"},
                          {"TERM", "xterm"},
                          {"TMPDIR", folder_.path().string()}},
          .folder = folder_.path(),
          .output_file = {},
          .terminal = false,
          .all_terminal = false};
}

Json DriverTest::result_of_run(const std::filesystem::path& config, const std::string& simulated) const {
  const Outcome outcome = breakeven({"run", config, "--out", "-"}, simulated);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return parse(outcome.out);
}

std::filesystem::path DriverTest::config(const Json& workloads, const std::vector<std::string>& backends,
                                         const Json& measure) const {
  Json settings{{"max_seconds", 1}, {"timeout_seconds", 20}};
  settings.update(measure);
  const Json whole{{"backends", backends}, {"measure", settings}, {"workloads", workloads}};
  return write("config.json", whole.dump());
}

std::filesystem::path DriverTest::planted(const std::string& library) {
  return std::filesystem::path(PLANTED_FAULTS_FOLDER) /
         fmt::format("{}{}.so", library, emulated_cuda() == nullptr ? "" : "-emulated");
}

std::filesystem::path DriverTest::products(const std::vector<int>& sizes,
                                           const std::vector<std::string>& backends,
                                           const Json& measure) const {
  const Json workload{{"op", "matmul"}, {"m", sizes}, {"n", "m"}, {"k", "m"}, {"dtype", "f32"}};
  return config(Json::array({workload}), backends, measure);
}

std::vector<Logged> DriverTest::logged() const {
  std::vector<Logged> all;
  std::ifstream in(file("log"));
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    Logged& entry = all.emplace_back();
    words >> entry.backend >> entry.process >> entry.request >> entry.case_id;
  }
  return all;
}

std::size_t DriverTest::requested(const std::string& request) const {
  const auto all = logged();
  return static_cast<std::size_t>(
      std::count_if(all.begin(), all.end(), [&](const Logged& entry) { return entry.request == request; }));
}

int DriverTest::processes(const std::string& backend) const {
  const auto all = logged();
  return static_cast<int>(std::count_if(all.begin(), all.end(), [&](const Logged& entry) {
    return entry.backend == backend && entry.request == "start";
  }));
}

std::string DriverTest::why_unavailable(const std::string& backend) const {
  const auto program = "breakeven-backend-" + backend;
  if (!exists(std::filesystem::path(BREAKEVEN_DRIVER).parent_path() / program) &&
      !exists(file("backends") / program))
    return backend + " was not built";
  // Not with `devices`, which starts all backends.
  const auto path = products({1}, {"reference", backend});
  breakeven({"run", path, "--seconds", "0.001", "--out", file("asked.json")});
  const Json result = parse_file(file("asked.json"));
  for (const auto& known : result.at("backends")) {
    if (known.at("name") == backend)
      return known.at("available").get<bool>() ? "" : known.at("reason").get<std::string>();
  }
  return "it is not among the backends";
}

Json parse(const std::string& text) {
  try {
    return Json::parse(text);
  } catch (const Json::exception& e) {
    ADD_FAILURE() << e.what() << " in: " << text.substr(0, 500);
    return nullptr;
  }
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << path << " cannot be read";
  return {std::istreambuf_iterator<char>(in), {}};
}

Json parse_file(const std::filesystem::path& path) {
  return parse(text_of(path));
}

Json find_case(const Json& result, const std::string& id, const std::string& backend) {
  for (const auto& c : result.value("cases", Json::array())) {
    if (c.at("id") == id && c.at("backend") == backend) return c;
  }
  ADD_FAILURE() << "no case " << id << " of " << backend;
  return Json::object();
}

std::vector<std::string> not_ok(const Json& result) {
  std::vector<std::string> lines;
  for (const auto& c : result.value("cases", Json::array())) {
    if (c.at("status") == "ok") continue;
    lines.push_back(fmt::format("{} {} {}: {}", c.at("id").get<std::string>(),
                                c.at("backend").get<std::string>(), c.at("status").get<std::string>(),
                                c.at("reason").get<std::string>()));
  }
  return lines;
}

std::string test_name(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return text;
}

}  // namespace breakeven::cli_tests
