#include "reports/exports/format.h"

#include <algorithm>
#include <array>
#include <list>
#include <stdexcept>

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
  if (const auto* of = std::get_if<const Measured*>(&subject)) return measured(**of);
  if (const auto* of = std::get_if<const Threshold*>(&subject)) return threshold(**of);
  if (const auto* of = std::get_if<const Verdicts*>(&subject)) return verdicts(**of);
  if (const auto* of = std::get_if<const Ranking*>(&subject)) return ranking(**of);
  return history(*std::get<const CheckedHistory*>(subject));
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
