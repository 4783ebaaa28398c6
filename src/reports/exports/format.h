// The output formats of reports. Each has its own source file, which registers its option and the subjects
// that it accepts. A subcommand declares the options of every format that accepts its subjects
// (cli/outputs.h).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "history/check.h"
#include "rank/rank.h"
#include "verdicts/measured.h"
#include "verdicts/verdict.h"

namespace breakeven {

/// The result of `history check`, and the file of the history.
struct CheckedHistory {
  HistoryCheck check;
  std::string store;
};

/// The subject of a report. Never null; must outlive the report.
using Subject =
    std::variant<const Measured*, const Threshold*, const Verdicts*, const Ranking*, const CheckedHistory*>;
/// The kinds of subjects, in the order of Subject's alternatives.
enum class SubjectKind { measured, threshold, verdicts, ranking, history };
SubjectKind kind_of(const Subject& subject);
/// The name of a kind in messages: "results", "verdicts", ...
std::string_view name(SubjectKind kind);

struct FormattedReport {
  std::string text;
  std::size_t cases_left_out = 0;  // because the format cannot represent them
  std::size_t files_left_out = 0;  // whole files, for the same reason
};

template <typename T>
using Formatter = FormattedReport (*)(const T&);

struct OutputFormat {
  std::string option;              // unique: "--csv"
  std::string meaning;             // a noun for --help: "a CSV table, one row for each case and backend"
  bool beside_the_report = false;  // on standard output, added to the report for readers
  /// The control characters that the text may contain. Those of names and messages are replaced.
  std::string_view control_characters = "\n";
  Formatter<Measured> measured = nullptr;  // null: not accepted
  Formatter<Threshold> threshold = nullptr;
  Formatter<Verdicts> verdicts = nullptr;
  Formatter<Ranking> ranking = nullptr;
  Formatter<CheckedHistory> history = nullptr;

  bool takes(SubjectKind kind) const;
  /// Writes the subject, which must be of a kind that this format accepts.
  FormattedReport format(const Subject& subject) const;
};

/// Registers a format: `const FormatRegistration registered({.option = "--csv", ...});`
struct FormatRegistration {
  explicit FormatRegistration(OutputFormat format);
};

/// The formats that accept any of these kinds, sorted by option. The pointers stay valid.
std::vector<const OutputFormat*> formats_for(std::span<const SubjectKind> kinds);

/// Adapts a formatter that accepts only results of `run`.
template <FormattedReport (*write)(std::span<const Result>)>
FormattedReport from_results_alone(const Measured& measured) {
  FormattedReport report = write(measured.results);
  report.files_left_out += measured.thresholds.size();
  return report;
}

}  // namespace breakeven
