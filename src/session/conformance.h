// Whether a program keeps the worker protocol: for the authors of backends, in any language.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace breakeven {

struct Check {
  enum class Outcome { passed, failed, skipped };
  std::string name;
  Outcome outcome = Outcome::failed;
  std::string detail;  // why it failed or was skipped
};

/// Meets `program` with every request, in and out of order, and with small cases of every operation and dtype
/// it says it supports, judged by `arbiter` (the program of a backend that knows the truth). `report` is
/// called with each check as it is done. `timeout` seconds are allowed for each answer.
std::vector<Check> check_conformance(const std::filesystem::path& program,
                                     const std::filesystem::path& arbiter, double timeout,
                                     const std::function<void(const Check&)>& report);

}  // namespace breakeven
