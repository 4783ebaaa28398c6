// Checks whether a program keeps the worker protocol. For authors of backends, in any language.
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

/// Sends `program` every request, in and out of order, and small cases of every operation and dtype it says
/// it supports and whose ids `is_wanted` accepts. Results are compared with those of `reference_backend`, the
/// program of a reference backend. Calls `report` with each check when it is done. Each answer may take at
/// most `timeout` seconds.
std::vector<Check> check_conformance(const std::filesystem::path& program,
                                     const std::filesystem::path& reference_backend, double timeout,
                                     const std::function<bool(const std::string& id)>& is_wanted,
                                     const std::function<void(const Check&)>& report);

}  // namespace breakeven
