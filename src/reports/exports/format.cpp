#include "reports/exports/format.h"

#include <algorithm>
#include <array>
#include <list>
#include <stdexcept>
#include <tuple>

namespace breakeven {
namespace {

std::list<OutputFormat>& registered_formats() {
  static std::list<OutputFormat> all;
  return all;
}

}  // namespace

SubjectKind kind_of(const Subject& subject) {
  return static_cast<SubjectKind>(subject.index());
}

std::string_view name(SubjectKind kind) {
  constexpr std::array<std::string_view, std::variant_size_v<Subject>> names{
      "results", "a break-even", "verdicts", "a ranking", "a history"};
  return names.at(static_cast<std::size_t>(kind));
}

bool OutputFormat::takes(SubjectKind kind) const {
  const std::array<bool, std::variant_size_v<Subject>> taken{
      measured != nullptr, threshold != nullptr, verdicts != nullptr, ranking != nullptr, history != nullptr};
  return taken.at(static_cast<std::size_t>(kind));
}

FormattedReport OutputFormat::format(const Subject& subject) const {
  if (!takes(kind_of(subject))) throw std::logic_error(option + " does not take this kind of report");
  const std::tuple formatters{measured, threshold, verdicts, ranking, history};
  return std::visit([&]<typename T>(const T* of) { return std::get<Formatter<T>>(formatters)(*of); },
                    subject);
}

FormatRegistration::FormatRegistration(OutputFormat format) {
  auto& all = registered_formats();
  const auto behind =
      std::ranges::find_if(all, [&](const OutputFormat& other) { return other.option > format.option; });
  all.insert(behind, std::move(format));
}

std::vector<const OutputFormat*> formats_for(std::span<const SubjectKind> kinds) {
  std::vector<const OutputFormat*> formats;
  for (const OutputFormat& format : registered_formats()) {
    if (std::ranges::any_of(kinds, [&](SubjectKind kind) { return format.takes(kind); }))
      formats.push_back(&format);
  }
  return formats;
}

}  // namespace breakeven
