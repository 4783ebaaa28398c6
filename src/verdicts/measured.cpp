#include "verdicts/measured.h"

#include <fmt/format.h>

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>

#include "results/json_parts.h"
#include "results/json_text.h"

namespace breakeven {

void tell_machines_apart(Measured& all) {
  std::vector<Host*> hosts;
  hosts.reserve(all.results.size() + all.thresholds.size());
  for (Result& result : all.results) hosts.push_back(&result.host);
  for (Threshold& threshold : all.thresholds) hosts.push_back(&threshold.host);
  const auto add_where_it_tells = [&](const auto& more) {
    std::map<std::string, std::set<std::string>> of_name;
    for (const Host* host : hosts) of_name[host->name].insert(more(*host));
    std::vector<std::string> names;
    names.reserve(hosts.size());
    for (const Host* host : hosts)
      names.push_back(of_name[host->name].size() > 1 ? fmt::format("{} ({})", host->name, more(*host))
                                                     : host->name);
    for (std::size_t i = 0; i < hosts.size(); ++i) hosts[i]->name = std::move(names[i]);
  };
  add_where_it_tells([](const Host& host) { return host.cpu; });
  add_where_it_tells([](const Host& host) { return fmt::format("{} CPUs", host.cpus); });
}

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
  tell_machines_apart(all);
  return all;
}

}  // namespace breakeven
