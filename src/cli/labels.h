// Shared by the commands that read results: --label FILE=NAME, and a note on files that were skipped.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "verdicts/machines.h"
#include "verdicts/measured.h"

namespace breakeven {

/// The option's texts, as given; several are allowed.
void declare_label_option(CLI::App& command, std::vector<std::string>& labels);

/// Throws CommandError, status 2, for a text without "=".
std::vector<MachineLabel> parse_labels(const std::vector<std::string>& labels);

/// One note on standard error, where files of other kinds were skipped.
void tell_skipped(const Measured& measured);

}  // namespace breakeven
