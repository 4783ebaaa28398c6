#include "verdicts/measured.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "results/json_parts.h"
#include "results/json_text.h"
#include "verdicts/machines.h"

namespace breakeven {
namespace {

std::vector<Host*> hosts_of(Measured& all) {
  std::vector<Host*> hosts;
  hosts.reserve(all.results.size() + all.thresholds.size());
  for (Result& result : all.results) hosts.push_back(&result.host);
  for (Threshold& threshold : all.thresholds) hosts.push_back(&threshold.host);
  return hosts;
}

}  // namespace

Measured read_measured(std::span<const std::filesystem::path> files) {
  Measured all;
  for (const auto& file : files) {
    const std::string text = read_result_text(file);
    try {
      const auto json = parse_strictly(text);
      if (json.is_object() &&
          json.value("/schema"_json_pointer, nlohmann::ordered_json()) == threshold_schema) {
        all.thresholds.push_back(threshold_from(json));
      } else {
        all.results.push_back(result_from(json));
      }
    } catch (const ResultError& e) {
      throw ResultError(fmt::format("{}: {}", file.string(), e.what()));
    }
  }
  const std::vector<Host*> hosts = hosts_of(all);
  complete_identities(hosts);
  tell_machines_apart(hosts);
  return all;
}

}  // namespace breakeven
