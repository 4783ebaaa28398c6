// The faults of the simulated backend, on demand.
#pragma once

#include <cstdint>
#include <optional>
#include <regex>
#include <string>

#include "simulated/settings.h"

namespace breakeven::simulated {

/// A fault. Its settings are `fault` (one of those in fault.cpp), `at` (the name of a request), and
/// conditions:
///   nth=N      only at the N-th such request of a process, among those that meet the other conditions
///   case=R     only while a case is prepared whose id matches this regular expression
///   backend=B  only in the backend of this name
///   process=N  only in the N-th process of this name, counted in the log
///   number=N   the exit status, or the signal; status=S of a refusal: failed, unsupported, out_of_memory
class Fault {
 public:
  /// Takes the settings of a fault. Throws SettingsError for an unknown kind or request.
  static Fault taken_from(Settings& settings);

  /// True if the fault occurs at this request. Must be called once for each request, in order.
  bool strikes(const std::string& request, const std::string& case_id, const std::string& backend,
               int process);
  /// Returns the text to write instead of the answer `line`. Many kinds do not return.
  std::string perform(const std::string& line) const;

 private:
  std::string kind_, at_, backend_, status_;
  std::optional<std::regex> case_;
  std::int64_t nth_ = 0, process_ = 0;
  int number_ = 0;
  std::int64_t met_ = 0;
};

}  // namespace breakeven::simulated
