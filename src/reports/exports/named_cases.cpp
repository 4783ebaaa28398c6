#include "reports/exports/named_cases.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "reports/text.h"

namespace breakeven {
namespace {

/// The longest name in bytes. Bencher's limit is 1024 bytes (BenchmarkName::MAX_LEN), which must also hold
/// what makes a name unique.
constexpr std::size_t longest_name = 1000;

std::string cut(const std::string& text) {
  if (text.size() <= longest_name) return text;
  const auto bytes = [](char32_t c) { return c < 0x80 ? 1.0 : c < 0x800 ? 2.0 : c < 0x10000 ? 3.0 : 4.0; };
  return text.substr(0, bytes_within(text, longest_name, bytes)) + "…";
}

}  // namespace

std::string machine_name(const Result& result) {
  std::string name = printable(result.host.name);
  return name.empty() ? "unnamed" : name;
}

std::vector<NamedCase> named_cases(std::span<const Result> results) {
  const bool several = std::ranges::any_of(
      results, [&](const Result& run) { return machine_name(run) != machine_name(results.front()); });
  std::vector<NamedCase> all;
  UniqueNames names;
  for (const Result& run : results) {
    const std::string machine = machine_name(run);
    for (const CaseResult& result : run.cases) {
      std::string name = printable(result.id) + "/" + printable(result.backend);
      if (several) name += "/" + machine;
      UniqueNames::Name unique = names.take(cut(name));
      all.push_back({.name = std::move(unique.text),
                     .number = unique.number,
                     .machine = machine,
                     .run = &run,
                     .result = &result});
    }
  }
  return all;
}

std::string joined_known(std::vector<std::string> texts, std::string_view between) {
  std::erase(texts, "");
  return fmt::format("{}", fmt::join(texts, between));
}

void set_known(Json& object, const char* key, const std::optional<double>& value) {
  if (value && std::isfinite(*value)) object[key] = *value;
}

FormattedReport json_report(std::span<const Result> results, const std::string& opening,
                            const std::function<std::string(const NamedCase&, std::size_t index)>& element_of,
                            const std::string& closing) {
  FormattedReport report{.text = opening};
  std::size_t count = 0;
  for (const NamedCase& named : named_cases(results)) {
    const std::string element = element_of(named, count);
    if (element.empty()) {
      ++report.cases_left_out;
    } else {
      report.text += (count++ == 0 ? "\n" : ",\n") + element;
    }
  }
  report.text += (count == 0 ? "" : "\n") + closing;
  return report;
}

}  // namespace breakeven
