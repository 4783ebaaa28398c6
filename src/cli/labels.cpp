#include "cli/labels.h"

#include <algorithm>

#include "cli/messages.h"
#include "cli/subcommand.h"
#include "reports/text.h"

namespace breakeven {

CLI::Option* declare_label_option(CLI::App& command, std::vector<std::string>& labels) {
  return take_one_word(command.add_option(
      "--label", labels, "FILE=NAME: call the machine of this file NAME; may be given several times"));
}

std::vector<MachineLabel> parse_labels(const std::vector<std::string>& labels) {
  std::vector<MachineLabel> all;
  all.reserve(labels.size());
  for (const std::string& text : labels) {
    const auto equals = text.rfind('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
      throw CommandError("--label {}: must be FILE=NAME, as in cpu.json='small server'", text);
    all.push_back({.file = text.substr(0, equals), .name = printable(text.substr(equals + 1))});
  }
  return all;
}

void expect_latencies(std::span<const Result> results) {
  const auto has_latency = [](const CaseResult& c) { return c.has_time() && c.latency; };
  if (std::ranges::none_of(
          results, [&](const Result& result) { return std::ranges::any_of(result.cases, has_latency); }))
    throw CommandError("{}", no_latencies_text);
}

void tell_skipped(const Measured& measured) {
  if (!measured.skipped.empty()) tell(printable(skipped_text(measured.skipped)));
}

}  // namespace breakeven
