#include "reports/exports/format.h"

#include <algorithm>
#include <list>
#include <stdexcept>

namespace breakeven {
namespace {

std::list<OutputFormat>& registered_formats() {
  static std::list<OutputFormat> all;
  return all;
}

template <typename T>
FormattedReport format_with(Formatter<T> formatter, const T* subject, const std::string& option) {
  if (formatter == nullptr) throw std::logic_error(option + " does not take this kind of report");
  return formatter(*subject);
}

/// One function for each kind of subject.
template <typename... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};

}  // namespace

SubjectKind kind_of(const Subject& subject) {
  return static_cast<SubjectKind>(subject.index());
}

std::string_view name(SubjectKind kind) {
  switch (kind) {
    case SubjectKind::measured:
      return "results";
    case SubjectKind::threshold:
      return "a break-even";
    case SubjectKind::verdicts:
      return "verdicts";
    case SubjectKind::ranking:
      return "a ranking";
    case SubjectKind::history:
      break;
  }
  return "a history";
}

bool OutputFormat::takes(SubjectKind kind) const {
  switch (kind) {
    case SubjectKind::measured:
      return measured != nullptr;
    case SubjectKind::threshold:
      return threshold != nullptr;
    case SubjectKind::verdicts:
      return verdicts != nullptr;
    case SubjectKind::ranking:
      return ranking != nullptr;
    case SubjectKind::history:
      break;
  }
  return history != nullptr;
}

FormattedReport OutputFormat::format(const Subject& subject) const {
  return std::visit(Overloaded{[&](const Measured* of) { return format_with(measured, of, option); },
                               [&](const Threshold* of) { return format_with(threshold, of, option); },
                               [&](const Verdicts* of) { return format_with(verdicts, of, option); },
                               [&](const Ranking* of) { return format_with(ranking, of, option); },
                               [&](const CheckedHistory* of) { return format_with(history, of, option); }},
                    subject);
}

FormatRegistration::FormatRegistration(OutputFormat format) {
  auto& all = registered_formats();
  const auto behind = std::find_if(all.begin(), all.end(),
                                   [&](const OutputFormat& other) { return other.option > format.option; });
  all.insert(behind, std::move(format));
}

std::vector<const OutputFormat*> formats_for(std::span<const SubjectKind> kinds) {
  std::vector<const OutputFormat*> formats;
  for (const OutputFormat& format : registered_formats()) {
    if (std::any_of(kinds.begin(), kinds.end(), [&](SubjectKind kind) { return format.takes(kind); }))
      formats.push_back(&format);
  }
  return formats;
}

}  // namespace breakeven
