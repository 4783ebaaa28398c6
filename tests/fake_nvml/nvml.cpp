// libnvidia-ml.so.1 of a machine that does not exist. FAKE_NVML contains its answers, as a JSON object; every
// key is optional:
//   {"uuid": "GPU-1",          the only device
//    "watts": 300,             its power, with which its energy grows
//    "update_seconds": 0.02,   how often the counter of energy changes
//    "memory_used": 8589934592,    bytes, of 64 GiB
//    "sm_mhz": 1980, "memory_mhz": 2619, "celsius": 55, "pcie_generation": 5, "mig": false,
//    "reasons": [[10, 4], [1, 0]],    answer of the first ten queries, then the next; the last stays
//    "violations": {"power": 0.5},    seconds a second
//    "processes": ["own", 4242],      "own": the programs that this process runs
//    "near_cpus": [0, 1],      without it the query is not supported; {"GPU-2": [0], ...}: several devices
//    "ecc_errors": [0, 2],            answers of queries in turn; the last stays
//    "unsupported": ["nvmlDeviceGetEccMode"], "init": 9,    errors that functions answer
//    "log": "FILE"}                   where each call adds a line
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "host/nvml_api.h"

namespace {

using namespace breakeven::nvml_api;
using Clock = std::chrono::steady_clock;

const nlohmann::json& script() {
  static const nlohmann::json read = [] {
    const char* text = std::getenv("FAKE_NVML");
    return nlohmann::json::parse(text != nullptr ? text : "{}");
  }();
  return read;
}

double seconds() {
  static const auto start = Clock::now();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Called first in every function: returns success, or the error that the script requests.
Return enter(const char* function) {
  if (script().contains("log")) {
    std::ofstream(script()["log"].get<std::string>(), std::ios::app) << function << '\n';
  }
  for (const auto& name : script().value("unsupported", nlohmann::json::array())) {
    if (name == function) return not_supported;
  }
  return success;
}

template <typename T, typename U>
Return give(const char* function, T* to, U value) {
  const Return entered = enter(function);
  if (entered == success) *to = static_cast<T>(value);
  return entered;
}

Return give_text(const char* function, char* to, unsigned length, const std::string& text) {
  const Return entered = enter(function);
  if (entered == success) std::snprintf(to, length, "%s", text.c_str());
  return entered;
}

/// Returns the parent of every process.
std::map<pid_t, pid_t> parents() {
  std::map<pid_t, pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    std::ifstream in(entry.path() / "stat");
    std::string line;
    if (name.find_first_not_of("0123456789") != std::string::npos || !std::getline(in, line)) continue;
    std::istringstream rest(line.substr(line.rfind(')') + 1));
    std::string state;
    pid_t parent = 0;
    rest >> state >> parent;
    found[static_cast<pid_t>(std::stoul(name))] = parent;
  }
  return found;
}

/// The programs of this process. Each is a grandchild: its parent is its keeper process.
std::vector<unsigned> own_programs() {
  const auto all = parents();
  std::vector<unsigned> found;
  for (const auto& [process, parent] : all) {
    const auto keeper = all.find(parent);
    if (keeper != all.end() && keeper->second == getpid()) found.push_back(static_cast<unsigned>(process));
  }
  return found;
}

Return processes(const char* function, unsigned* count, ProcessInfo* infos) {
  if (const Return entered = enter(function); entered != success) return entered;
  std::vector<unsigned> pids;
  for (const auto& process : script().value("processes", nlohmann::json::array({"own"}))) {
    if (process == "own") {
      const auto own = own_programs();
      pids.insert(pids.end(), own.begin(), own.end());
    } else {
      pids.push_back(process.get<unsigned>());
    }
  }
  const unsigned room = *count;
  *count = static_cast<unsigned>(pids.size());
  if (pids.size() > room) return insufficient_size;
  for (std::size_t i = 0; i < pids.size(); ++i)
    infos[i] = {.pid = pids[i], .used_memory = 0, .gpu_instance = 0, .compute_instance = 0};
  return success;
}

unsigned long long reasons_now() {
  static int asked = 0;
  int left = asked++;
  unsigned long long last = 0;
  for (const auto& run : script().value("reasons", nlohmann::json::array())) {
    last = run[1].get<unsigned long long>();
    if (left < run[0].get<int>()) return last;
    left -= run[0].get<int>();
  }
  return last;
}

int the_device = 0;

}  // namespace

extern "C" {

Return nvmlInit_v2() {
  seconds();
  const Return entered = enter("nvmlInit_v2");
  return entered == success ? script().value("init", success) : entered;
}
Return nvmlShutdown() {
  return enter("nvmlShutdown");
}
const char* nvmlErrorString(Return error) {
  return error == not_supported ? "Not Supported"
         : error == not_found   ? "Not Found"
         : error == 9           ? "Driver Not Loaded"
                                : "Unknown Error";
}
Return nvmlSystemGetDriverVersion(char* text, unsigned length) {
  return give_text("nvmlSystemGetDriverVersion", text, length, script().value("driver", "580.1"));
}
Return nvmlDeviceGetHandleByUUID(const char* uuid, Device* device) {
  const Return entered = enter("nvmlDeviceGetHandleByUUID");
  if (entered != success) return entered;
  if (const auto near = script().find("near_cpus"); near != script().end() && near->is_object()) {
    const auto found = near->find(uuid);
    if (found == near->end()) return not_found;
    *device = reinterpret_cast<Device>(const_cast<nlohmann::json*>(&*found));
    return success;
  }
  if (script().value("uuid", "GPU-1") != uuid) return not_found;
  *device = reinterpret_cast<Device>(&the_device);
  return success;
}
Return nvmlDeviceGetName(Device, char* text, unsigned length) {
  return give_text("nvmlDeviceGetName", text, length, "Fake GPU");
}
Return nvmlDeviceGetMemoryInfo(Device, Memory* memory) {
  constexpr unsigned long long total = 1ULL << 36U;
  const auto used = script().value("memory_used", 1ULL << 29U);
  return give("nvmlDeviceGetMemoryInfo", memory, Memory{.total = total, .free = total - used, .used = used});
}
Return nvmlDeviceGetEccMode(Device, int* current, int* pending) {
  *pending = 0;
  return give("nvmlDeviceGetEccMode", current, 1);
}
Return nvmlDeviceGetMigMode(Device, unsigned* current, unsigned* pending) {
  *pending = 0;
  return give("nvmlDeviceGetMigMode", current, script().value("mig", false) ? 1 : 0);
}
Return nvmlDeviceGetPersistenceMode(Device, int* mode) {
  return give("nvmlDeviceGetPersistenceMode", mode, 1);
}
Return nvmlDeviceGetComputeMode(Device, int* mode) {
  return give("nvmlDeviceGetComputeMode", mode, 3);
}
Return nvmlDeviceGetCurrPcieLinkGeneration(Device, unsigned* value) {
  return give("nvmlDeviceGetCurrPcieLinkGeneration", value, script().value("pcie_generation", 5));
}
Return nvmlDeviceGetCurrPcieLinkWidth(Device, unsigned* value) {
  return give("nvmlDeviceGetCurrPcieLinkWidth", value, 16);
}
Return nvmlDeviceGetMaxPcieLinkGeneration(Device, unsigned* value) {
  return give("nvmlDeviceGetMaxPcieLinkGeneration", value, 5);
}
Return nvmlDeviceGetMaxPcieLinkWidth(Device, unsigned* value) {
  return give("nvmlDeviceGetMaxPcieLinkWidth", value, 16);
}
Return nvmlDeviceGetPowerManagementLimit(Device, unsigned* milliwatts) {
  return give("nvmlDeviceGetPowerManagementLimit", milliwatts, script().value("power_limit", 500) * 1000);
}
Return nvmlDeviceGetPowerManagementDefaultLimit(Device, unsigned* milliwatts) {
  return give("nvmlDeviceGetPowerManagementDefaultLimit", milliwatts, 700000);
}
Return nvmlDeviceGetMaxClockInfo(Device, int clock, unsigned* mhz) {
  return give("nvmlDeviceGetMaxClockInfo", mhz, clock == clock_sm ? 1980 : 2619);
}
Return nvmlDeviceGetClockInfo(Device, int clock, unsigned* mhz) {
  return give("nvmlDeviceGetClockInfo", mhz,
              clock == clock_sm ? script().value("sm_mhz", 1755) : script().value("memory_mhz", 2619));
}
Return nvmlDeviceGetTemperature(Device, int, unsigned* celsius) {
  return give("nvmlDeviceGetTemperature", celsius, script().value("celsius", 55));
}
Return nvmlDeviceGetCurrentClocksThrottleReasons(Device, unsigned long long* reasons) {
  return give("nvmlDeviceGetCurrentClocksThrottleReasons", reasons, reasons_now());
}
Return nvmlDeviceGetComputeRunningProcesses_v2(Device, unsigned* count, ProcessInfo* infos) {
  return processes("nvmlDeviceGetComputeRunningProcesses_v2", count, infos);
}
Return nvmlDeviceGetCpuAffinity(Device device, unsigned words, unsigned long* cpus) {
  const Return entered = enter("nvmlDeviceGetCpuAffinity");
  if (entered != success) return entered;
  if (!script().contains("near_cpus")) return not_supported;
  const nlohmann::json& near = script()["near_cpus"];
  constexpr unsigned bits = 8 * sizeof(unsigned long);
  std::fill_n(cpus, words, 0UL);
  for (const auto& listed : near.is_object() ? *reinterpret_cast<const nlohmann::json*>(device) : near) {
    const auto cpu = listed.get<unsigned>();
    if (cpu / bits >= words) return insufficient_size;
    cpus[cpu / bits] |= 1UL << (cpu % bits);
  }
  return success;
}
Return nvmlDeviceGetTotalEccErrors(Device, int error, int counter, unsigned long long* errors) {
  static std::size_t asked = 0;
  if (error != error_uncorrected || counter != ecc_volatile) return not_supported;
  const auto answers = script().value("ecc_errors", std::vector<int>{0});
  return give("nvmlDeviceGetTotalEccErrors", errors, answers[std::min(asked++, answers.size() - 1)]);
}

#ifndef FAKE_NVML_OLD
Return nvmlDeviceGetCurrentClocksEventReasons(Device, unsigned long long* reasons) {
  return give("nvmlDeviceGetCurrentClocksEventReasons", reasons, reasons_now());
}
Return nvmlDeviceGetComputeRunningProcesses_v3(Device, unsigned* count, ProcessInfo* infos) {
  return processes("nvmlDeviceGetComputeRunningProcesses_v3", count, infos);
}
Return nvmlDeviceGetViolationStatus(Device, int policy, ViolationTime* time) {
  const char* name = policy == violation_power ? "power" : policy == violation_thermal ? "thermal" : "board";
  const double share = script().value("violations", nlohmann::json::object()).value(name, 0.0);
  return give("nvmlDeviceGetViolationStatus", time,
              ViolationTime{.reference_time = static_cast<unsigned long long>(seconds() * 1e6),
                            .violation_time = static_cast<unsigned long long>(seconds() * share * 1e9)});
}
Return nvmlDeviceGetTotalEnergyConsumption(Device, unsigned long long* millijoules) {
  const double update = script().value("update_seconds", 0.02);
  const double counted = std::floor(seconds() / update) * update;
  return give("nvmlDeviceGetTotalEnergyConsumption", millijoules,
              counted * script().value("watts", 300.0) * 1000);
}
#endif

}  // extern "C"
