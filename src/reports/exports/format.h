// The output formats of reports. Each has its own source file, which registers its option and the subjects
// that it accepts. A subcommand declares the options of every format that accepts its subjects
// (cli/outputs.h).
#pragma once

#include <cstddef>
#include <list>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include "history/check.h"
#include "rank/rank.h"
#include "verdicts/fleet.h"
#include "verdicts/measured.h"
#include "verdicts/verdict.h"

namespace breakeven {

/// The result of `history check`, and the file of the history.
struct CheckedHistory {
  HistoryCheck check;
  std::string store;
};

/// The subject of a report, of any kind that there is. Never null; must outlive the report.
using Subject = std::variant<const Measured*, const Threshold*, const Verdicts*, const Rankings*,
                             const CheckedHistory*, const Fleet*>;

struct FormattedReport {
  std::string text;
  std::size_t cases_left_out = 0;  // because the format cannot represent them
  std::size_t files_left_out = 0;  // whole files, for the same reason
};

template <typename T>
using Formatter = FormattedReport (*)(const T&);

/// The function that writes each kind of subject; null: the kind is not accepted.
template <typename T>
struct FormattersOf;
template <typename... T>
struct FormattersOf<std::variant<const T*...>> {
  std::tuple<Formatter<T>...> all{};

  /// At most one function for each kind.
  template <typename... Taken>
  // NOLINTNEXTLINE(google-explicit-constructor): so that a brace list initialises it
  FormattersOf(Formatter<Taken>... given) {
    ((std::get<Formatter<Taken>>(all) = given), ...);
  }
};
using Formatters = FormattersOf<Subject>;

struct OutputFormat {
  std::string option;              // unique: "--csv"
  std::string meaning;             // a noun for --help: "a CSV table, one row for each case and backend"
  bool beside_the_report = false;  // on standard output, added to the report for readers
  /// The control characters that the text may contain. Those of names and messages are replaced.
  std::string_view control_characters = "\n";
  Formatters writes;

  template <typename T>
  bool takes() const {
    return std::get<Formatter<T>>(writes.all) != nullptr;
  }
  bool takes(const Subject& subject) const;
  /// The kinds of subjects that it accepts: "results or verdicts".
  std::string kinds_taken() const;
  /// Writes the subject, which must be of a kind that this format accepts.
  FormattedReport format(const Subject& subject) const;
};

/// Registers a format: `const FormatRegistration registered({.option = "--csv", ...});`
struct FormatRegistration {
  explicit FormatRegistration(OutputFormat format);
};

/// Sorted by option. They stay where they are.
const std::list<OutputFormat>& all_formats();

/// The formats that accept any of these kinds.
template <typename... T>
std::vector<const OutputFormat*> formats_for() {
  std::vector<const OutputFormat*> formats;
  for (const OutputFormat& format : all_formats()) {
    if ((format.takes<T>() || ...)) formats.push_back(&format);
  }
  return formats;
}

/// Adapts a formatter that accepts only results of `run`.
template <FormattedReport (*write)(std::span<const Result>)>
FormattedReport from_results_alone(const Measured& measured) {
  FormattedReport report = write(measured.results);
  report.files_left_out += measured.thresholds.size();
  return report;
}

}  // namespace breakeven
