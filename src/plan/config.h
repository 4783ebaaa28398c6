// A config file: a question, and all cases that answer it. It is checked before anything is measured.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "plan/json_file.h"
#include "plan/sweep.h"
#include "results/shard.h"

namespace breakeven {

/// The settings of the measurement. Configs have them under "measure", with the names in
/// measure_parameters().
struct Measure {
  double precision = 0.02;  // a case ends when half its interval's width is this fraction of its median
  double max_seconds = 3;   // measuring time of each case and backend
  int launches = 1;         // fresh processes of each backend
  bool cold_cache = false;
  bool placed = true;           // each computing thread of a CPU backend runs on its own core
  bool needs_own_speed = true;  // rounds count only while the machine runs at its own speed
  std::uint64_t seed = 1;
  double timeout_seconds = 120;   // limit for the answer to a request
  double energy_seconds = 2;      // work per GPU case whose energy is read; 0: no energy
  int threads = 0;                // of CPU backends; 0: see docs/kernels.md#number-of-threads
  bool library_defaults = false;  // CPU libraries select their kernels without our settings
  std::string launcher = {};      // that starts several ranks, with {ranks} in it; empty: the mpirun found

  bool operator==(const Measure&) const = default;
};

struct Config {
  std::string title;                  // the question; the file's name if there is none
  std::vector<std::string> backends;  // empty: every contender found
  Measure measure;
  std::vector<PlannedCase> cases;         // in the order written; ids are unique
  std::string json;                       // the file's text; for several files, a JSON list of their texts
  std::optional<ShardRecord> shard = {};  // if `cases` are one part of those in the file
};

/// The key "asks": the topic of the question (results/focus.h), which reports of the results begin with.
const Parameter& asks_parameter();

/// The settings under "measure": their names, limits and defaults.
const std::vector<Parameter>& measure_parameters();

/// Reads a config. A case that occurs more than once is kept at its first place, with all its labels. Throws
/// ConfigError.
Config read_config(const std::filesystem::path& path);

/// Reads a config from a file that was already parsed. `path` is the file's path. Throws ConfigError.
Config config_from(const JsonFile& file, const std::filesystem::path& path);
std::vector<std::string> read_backends(const Json& json, const Place& place);

/// Reads several configs as one. It has their titles, joined, and the backends of all, or every contender if
/// one config does not name any. Throws ConfigError, also if their settings under "measure" differ.
Config read_configs(const std::vector<std::filesystem::path>& paths);

/// Returns the files that measuring the configs reads, so that no output replaces one: the configs, and every
/// file that a string under "workloads" names, such as shapes and data sets, or all files in a folder that it
/// names. Throws ConfigError if a config cannot be read.
std::vector<std::filesystem::path> files_of_configs(const std::vector<std::filesystem::path>& configs);

}  // namespace breakeven
