// What machines are called in sentences.
#pragma once

#include <set>
#include <string>

#include "reports/families.h"

namespace breakeven {

/// Of the machines that a report is of: by their names where there are several, else "this machine".
class MachineNames {
 public:
  void add(const Host& host) { names_.insert(host.name); }

  std::string of(const std::string& machine) const { return names_.size() > 1 ? machine : "this machine"; }
  /// "host", and which of its devices where that is not its processors: "host, gpu".
  std::string of(const std::string& machine, const std::string& device) const {
    return device == "cpu" ? of(machine) : of(machine) + ", " + device;
  }
  std::string of(const Timed& timed) const { return of(timed.run->host.name, timed.result->device); }

 private:
  std::set<std::string> names_;
};

}  // namespace breakeven
