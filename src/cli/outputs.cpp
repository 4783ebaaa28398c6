#include "cli/outputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>

#include "cli/messages.h"
#include "cli/named_files.h"
#include "cli/subcommand.h"
#include "reports/document/names.h"

namespace breakeven {
namespace {

/// The subjects that a format accepts, and how many files the others have.
struct AcceptedSubjects {
  std::vector<Subject> subjects;
  std::size_t results_left_out = 0, thresholds_left_out = 0, verdicts_left_out = 0;
};

/// A report of results and thresholds is taken apart for a format that takes thresholds alone.
AcceptedSubjects accepted_by(const OutputFormat& format, std::span<const Subject> subjects) {
  AcceptedSubjects accepted;
  for (const Subject& subject : subjects) {
    const auto* measured = std::get_if<const Measured*>(&subject);
    if (format.takes(subject)) {
      accepted.subjects.push_back(subject);
    } else if (measured == nullptr) {
      ++accepted.verdicts_left_out;  // no other kind is given beside another
    } else {
      accepted.results_left_out += (*measured)->results.size();
      if (format.takes<Threshold>()) {
        for (const Threshold& threshold : (*measured)->thresholds) accepted.subjects.emplace_back(&threshold);
      } else {
        accepted.thresholds_left_out += (*measured)->thresholds.size();
      }
    }
  }
  return accepted;
}

/// The subject that the format accepts.
Subject only_subject(const OutputFormat& format, const AcceptedSubjects& accepted) {
  if (accepted.subjects.empty())
    throw CommandError("{} takes {}, and none was given; see --help for the formats of what was",
                       format.option, format.kinds_taken());
  if (accepted.subjects.size() > 1)
    throw CommandError(
        "{}: one file of this format holds one report; run the command once for results, and "
        "once for each other file",
        format.option);
  return accepted.subjects.front();
}

/// Throws CommandError if the report is empty because everything was left out.
void expect_content(const OutputFormat& format, const FormattedReport& report, const Subject& subject) {
  const auto* measured = std::get_if<const Measured*>(&subject);
  if (measured != nullptr && report.files_left_out > 0 && (*measured)->results.empty())
    throw CommandError(
        "{}: {} left out, and nothing else was given; this format takes only results of `breakeven run`",
        format.option, counted_text(report.files_left_out, "threshold file", "threshold files"));
}

/// Reports the files that the format leaves out because it does not accept their kind.
void tell_files_left_out(const OutputFormat& format, const AcceptedSubjects& accepted) {
  std::vector<std::string> kinds;
  const auto add = [&](std::size_t count, const char* one, const char* many) {
    if (count > 0) kinds.push_back(counted_text(count, one, many));
  };
  add(accepted.results_left_out, "result file", "result files");
  add(accepted.thresholds_left_out, "threshold file", "threshold files");
  add(accepted.verdicts_left_out, "file of verdicts", "files of verdicts");
  if (!kinds.empty())
    tell(fmt::format("{}: {} left out: this format takes only {}", format.option, fmt::join(kinds, " and "),
                     format.kinds_taken()));
}

void tell_what_was_left_out(const OutputFormat& format, const FormattedReport& report) {
  if (report.cases_left_out > 0)
    tell(fmt::format("{}: {} left out: this format has no place for {}", format.option,
                     counted_text(report.cases_left_out, "case", "cases"),
                     report.cases_left_out == 1 ? "it" : "them"));
  if (report.files_left_out > 0)
    tell(fmt::format("{}: {} left out: this format takes only results of `breakeven run`", format.option,
                     counted_text(report.files_left_out, "threshold file", "threshold files")));
}

}  // namespace

void Outputs::declare(CLI::App& command, const std::vector<const OutputFormat*>& formats) {
  for (const OutputFormat* format : formats) {
    accept_output_file(command.add_option_function<std::string>(
        format->option, [this, format](const std::string& path) { asked_.emplace_back(format, path); },
        fmt::format("{}; - is standard output", format->meaning)));
  }
}

void Outputs::check(const std::vector<std::filesystem::path>& inputs, const ChartOptions& charts) const {
  std::vector<OutputFile> files = chart_files(charts);
  for (const auto& [format, path] : asked_) files.push_back({.option = format->option, .path = path});
  check_output_files(files, inputs);
}

bool Outputs::replace_the_report() const {
  return std::ranges::any_of(
      asked_, [](const auto& asked) { return asked.second == "-" && !asked.first->beside_the_report; });
}

std::string Outputs::file_of(const std::string& option) const {
  const auto found =
      std::ranges::find_if(asked_, [&](const auto& asked) { return asked.first->option == option; });
  return found == asked_.end() ? "" : found->second;
}

void Outputs::write(std::span<const Subject> subjects, bool quiet) const {
  std::vector<FormattedReport> reports;
  std::vector<AcceptedSubjects> accepted;
  for (const auto& [format, path] : asked_) {
    accepted.push_back(accepted_by(*format, subjects));
    const Subject subject = only_subject(*format, accepted.back());
    reports.push_back(format->format(subject));
    expect_content(*format, reports.back(), subject);
  }
  std::exception_ptr failure;  // the first error; the other files are written nevertheless
  for (std::size_t i = 0; i < asked_.size(); ++i) {
    try {
      write_text_file(asked_[i].second, reports[i].text);
      tell_files_left_out(*asked_[i].first, accepted[i]);
      tell_what_was_left_out(*asked_[i].first, reports[i]);
      if (!quiet) report_saved_file(asked_[i].second);
    } catch (const CommandError&) {
      if (!failure) failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace breakeven
