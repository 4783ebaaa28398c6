#include "reports/exports/format.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace breakeven {
namespace {

std::list<OutputFormat>& registered_formats() {
  static std::list<OutputFormat> all;
  return all;
}

}  // namespace

const std::list<OutputFormat>& all_formats() {
  return registered_formats();
}

bool OutputFormat::takes(const Subject& subject) const {
  return std::visit([&]<typename T>(const T* /*of*/) { return takes<T>(); }, subject);
}

std::string OutputFormat::kinds_taken() const {
  static constexpr std::array<std::string_view, std::variant_size_v<Subject>> names{
      "results", "a break-even", "verdicts", "a ranking", "a history", "a fleet"};
  const auto is_taken = [](auto... writers) { return std::array{(writers != nullptr)...}; };
  const auto taken = std::apply(is_taken, writes.all);
  std::vector<std::string_view> kinds;
  for (std::size_t kind = 0; kind < names.size(); ++kind) {
    if (taken.at(kind)) kinds.push_back(names.at(kind));
  }
  return fmt::format("{}", fmt::join(kinds, " or "));
}

FormattedReport OutputFormat::format(const Subject& subject) const {
  if (!takes(subject)) throw std::logic_error(option + " does not take this kind of report");
  return std::visit([&]<typename T>(const T* of) { return std::get<Formatter<T>>(writes.all)(*of); },
                    subject);
}

FormatRegistration::FormatRegistration(OutputFormat format) {
  auto& all = registered_formats();
  const auto behind =
      std::ranges::find_if(all, [&](const OutputFormat& other) { return other.option > format.option; });
  all.insert(behind, std::move(format));
}

}  // namespace breakeven
