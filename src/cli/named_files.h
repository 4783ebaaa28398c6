// Finds files that the command line names by a path or by a bare name such as `quick`.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

namespace breakeven {

/// The folders in which configs are found by name, in this order: configs/ in the current folder, in the
/// source tree whose build folder contains the program, and in its installation. Only existing folders.
std::vector<std::filesystem::path> config_folders();

struct NamedConfig {
  std::string name;
  std::filesystem::path file;
};

/// The JSON files of config_folders() by name; if two share a name, the first found.
std::vector<NamedConfig> named_configs();

/// The default folder of files about this machine: results/HOST in the current folder.
std::filesystem::path results_folder();
/// The file name of a selftest in results_folder().
inline constexpr const char* selftest_file = "selftest.json";

/// The names of this machine's result files, which are in results_folder().
std::vector<std::string> named_results();

/// Lets an option or positional accept a config's name instead of its path. Returns the option.
CLI::Option* accept_config_names(CLI::Option* option);

/// The same for result files: `quick` is results/HOST/quick.json. "-" and existing paths are unchanged.
CLI::Option* accept_result_names(CLI::Option* option);

/// Declares the positional RESULT: one or more result files, by path or name, or - for standard input.
void declare_result_files(CLI::App& command, std::vector<std::filesystem::path>& files,
                          const std::string& meaning);

/// Throws CommandError if standard input (-) is given more than once.
void check_one_standard_input(const std::vector<std::filesystem::path>& files);

/// Declares that the option names a file to write. A name of the program's own standard output, such as
/// /dev/stdout, becomes "-". Returns the option. All three refuse an empty name with a CommandError.
CLI::Option* accept_output_file(CLI::Option* option);

}  // namespace breakeven
