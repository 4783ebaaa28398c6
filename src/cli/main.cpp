#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iostream>

#include "cli/subcommand.h"
#include "plan/config.h"
#include "plan/place.h"
#include "plan/suggestion.h"
#include "results/result.h"
#include "version.h"

namespace breakeven {
namespace {

std::vector<SubcommandEntry>& registered_subcommands() {
  static std::vector<SubcommandEntry> all;
  return all;
}

constexpr const char* exit_statuses =
    "Exit status: 0 good; 1 a wrong result or a regression; 2 the command or a file is at fault; 3 "
    "inconclusive;\n"
    "4 not comparable, or cases missing or failed; 130 interrupted (what was measured is saved).";

int run_program(int argc, char** argv) {
  CLI::App app("Where does a GPU pay off for deep-learning work, and by how much?", "breakeven");
  app.set_version_flag("--version", fmt::format("breakeven {}", version));
  app.require_subcommand(1);
  app.footer(exit_statuses);
  std::function<int()> chosen;
  for (const auto& entry : subcommands()) {
    CLI::App* command = app.add_subcommand(entry.name, entry.meaning);
    command->footer(exit_statuses);
    auto work = entry.add(*command);
    command->callback([&chosen, work] { chosen = work; });
  }
  if (argc > 1 && argv[1][0] != '-') {
    std::vector<std::string> names;
    for (const auto& entry : subcommands()) names.push_back(entry.name);
    if (std::find(names.begin(), names.end(), argv[1]) == names.end()) {
      fmt::print(stderr, "breakeven: '{}' is no subcommand; they are {}{}\n", argv[1], fmt::join(names, ", "),
                 did_you_mean(argv[1], names));
      return exit_code::bad_input;
    }
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? exit_code::good : exit_code::bad_input;
  }
  try {
    const int status = chosen();
    // Output that could not be written is not good, whatever was decided.
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0 || !std::cout.flush()) {
      throw CommandError(exit_code::bad_input, "standard output: cannot be written to");
    }
    return status;
  } catch (const CommandError& e) {
    fmt::print(stderr, "breakeven: {}\n", e.what());
    return e.status();
  } catch (const std::exception& e) {  // a config's or a result file's error names its place itself
    fmt::print(stderr, "breakeven: {}\n", e.what());
    return exit_code::bad_input;
  }
}

}  // namespace

SubcommandRegistration::SubcommandRegistration(SubcommandEntry entry) {
  auto& all = registered_subcommands();
  const auto behind = std::upper_bound(all.begin(), all.end(), entry,
                                       [](const auto& a, const auto& b) { return a.name < b.name; });
  all.insert(behind, std::move(entry));
}

const std::vector<SubcommandEntry>& subcommands() {
  return registered_subcommands();
}

}  // namespace breakeven

int main(int argc, char** argv) {
  return breakeven::run_program(argc, argv);
}
