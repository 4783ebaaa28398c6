// Options of subcommands that write reports to files: one for each format that accepts the subcommand's
// subjects.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/chart_files.h"
#include "cli/text_file.h"
#include "reports/exports/format.h"

namespace breakeven {

class Outputs {
 public:
  /// Adds the options to `command`. They point into this object, which must outlive the parsing.
  void declare(CLI::App& command, const std::vector<const OutputFormat*>& formats);

  /// Runs check_output_files() on all requested files, pictures included. Call it before anything is
  /// measured.
  void check(const std::vector<std::filesystem::path>& inputs = {}, const ChartOptions& charts = {}) const;

  /// True if any format was requested.
  bool any() const { return !asked_.empty(); }
  /// True if a requested format is written to standard output and replaces the report for readers.
  bool replace_the_report() const;
  /// The file of this option; empty if it was not given.
  std::string file_of(const std::string& option) const;

  /// Writes every requested format, or none: all are generated before the first is written. Reports on
  /// standard error everything that a format cannot represent and, unless `quiet`, every file. Throws
  /// CommandError if a format accepts none of the subjects or cannot hold two.
  void write(std::span<const Subject> subjects, bool quiet = false) const;
  void write(const Subject& subject, bool quiet = false) const { write(std::span(&subject, 1), quiet); }

 private:
  std::vector<std::pair<const OutputFormat*, std::string>> asked_;  // with the path of the file
};

}  // namespace breakeven
