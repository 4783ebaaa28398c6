// A config file: a question, and all the cases that answer it, checked before anything is measured.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "plan/sweep.h"

namespace breakeven {

/// How cases are measured. Configs give these under "measure", by the names in measure_parameters().
struct Measure {
  double precision = 0.02;  // a case is done when its interval's half width is this part of its median
  double max_seconds = 3;   // of measuring, for each case and backend
  int launches = 1;         // fresh processes of each backend
  bool cold_cache = false;
  bool placed = true;           // each computing thread of a CPU backend on a core of its own
  bool needs_own_speed = true;  // rounds count only if the machine was as fast as it can be
  std::uint64_t seed = 1;
  double timeout_seconds = 120;   // a request unanswered for this long is given up
  double energy_seconds = 2;      // of work whose energy is read, of each GPU case; 0: none is
  bool library_defaults = false;  // CPU libraries keep the kernels that they choose by themselves

  bool operator==(const Measure&) const = default;
};

struct Config {
  std::string title;                  // the question; of a file without one, its name
  std::vector<std::string> backends;  // empty: every contender found
  Measure measure;
  std::vector<PlannedCase> cases;  // as written; ids are unique
  std::string json;                // the file's text; of several files, a JSON list of their texts
};

/// The settings under "measure": their names, limits and defaults.
const std::vector<Parameter>& measure_parameters();

/// More cases than this are refused, before they are made: years of measuring, and mostly a mistyped range.
inline constexpr std::size_t most_cases = 100'000;

/// A case that is asked for more than once is kept where it came first, with all its labels.
/// Throws ConfigError.
Config read_config(const std::filesystem::path& path);

/// Several configs as one: their titles joined; the backends of all, or every contender where one says so.
/// Throws ConfigError, also where they measure differently.
Config read_configs(const std::vector<std::filesystem::path>& paths);

}  // namespace breakeven
