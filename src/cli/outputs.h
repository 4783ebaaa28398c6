// The options of subcommands that write reports to files: one for each format that takes what the subcommand
// has.
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
  void declare(CLI::App& command, std::vector<SubjectKind> kinds);

  /// Runs check_output_files() on all requested files, pictures included. Call it before anything is
  /// measured.
  void check(const std::vector<std::filesystem::path>& inputs = {}, const ChartOptions& charts = {}) const;

  /// True if any format was requested.
  bool any() const { return !asked_.empty(); }
  /// True if a requested format goes to standard output in place of the report for people.
  bool replace_the_report() const;
  /// The file of this option; empty if it was not given.
  std::string file_of(const std::string& option) const;

  /// Writes every requested format, or none: all are made before the first is written. Reports on standard
  /// error anything that a format has no place for, and, unless `quiet`, every file. Throws CommandError if a
  /// format takes none of the subjects or has no place for two.
  void write(std::span<const Subject> subjects, bool quiet = false) const;
  void write(const Subject& subject, bool quiet = false) const { write(std::span(&subject, 1), quiet); }

 private:
  std::vector<std::pair<const OutputFormat*, std::string>> asked_;  // with the file's path
};

}  // namespace breakeven
