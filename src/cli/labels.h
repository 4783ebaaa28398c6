// Shared by the commands that read results: --label FILE=NAME, and a note on files that were skipped.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "verdicts/machines.h"
#include "verdicts/measured.h"

namespace breakeven {

/// Declares the option --label, which may be given several times, and stores its texts. Returns the option.
CLI::Option* declare_label_option(CLI::App& command, std::vector<std::string>& labels);

/// Parses the texts of --label. Throws CommandError with status 2 for a text without "=".
std::vector<MachineLabel> parse_labels(const std::vector<std::string>& labels);

/// Prints one note on standard error if files of other kinds were skipped.
void tell_skipped(const Measured& measured);

}  // namespace breakeven
