// Shared by the commands that read results: --label FILE=NAME, --p99, and a note on files that were skipped.
#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>
#include <vector>

#include "verdicts/machines.h"
#include "verdicts/measured.h"

namespace breakeven {

/// Declares the option --label, which may be given several times, and stores its texts. Returns the option.
CLI::Option* declare_label_option(CLI::App& command, std::vector<std::string>& labels);

/// Parses the texts of --label. Throws CommandError with status 2 for a text without "=".
std::vector<MachineLabel> parse_labels(const std::vector<std::string>& labels);

inline constexpr const char* largest_batch_meaning =
    "also report the largest measured batch whose latency is within this limit in 99 % of calls, such as 5ms";

/// The error of --p99 where there is no latency that it could limit.
inline constexpr const char* no_latencies_text =
    "--p99 needs latencies, which are measured of inference alone (\"op\": \"infer\", as in "
    "configs/inference.json)";

/// Throws CommandError with status 2 if no result has a latency.
void expect_latencies(std::span<const Result> results);

/// Prints one note on standard error if files of other kinds were skipped.
void tell_skipped(const Measured& measured);

}  // namespace breakeven
