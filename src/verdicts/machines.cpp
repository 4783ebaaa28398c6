#include "verdicts/machines.h"

#include <fmt/format.h>

#include <cstddef>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace breakeven {
namespace {

/// All that older files say of it.
std::string key_without_identity(const Host& host) {
  return fmt::format("{}\n{}\n{}\n{}", host.name, host.cpu, host.cpus, fmt::join(host.cpu_features, " "));
}

}  // namespace

std::string machine_key(const Host& host) {
  return fmt::format("{}\n{}", key_without_identity(host), host.cpu_identity);
}

std::string identity_text(const Host& host) {
  return host.cpu_identity.empty() ? "processor's numbers not known" : host.cpu_identity;
}

void complete_identities(std::span<Host* const> hosts) {
  std::map<std::string, std::set<std::string>> known;
  for (const Host* host : hosts) {
    if (!host->cpu_identity.empty()) known[key_without_identity(*host)].insert(host->cpu_identity);
  }
  for (Host* host : hosts) {
    const auto alike = known.find(key_without_identity(*host));
    if (host->cpu_identity.empty() && alike != known.end() && alike->second.size() == 1)
      host->cpu_identity = *alike->second.begin();
  }
}

void tell_machines_apart(std::span<Host* const> hosts) {
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
  add_where_it_tells([](const Host& host) { return identity_text(host); });
  add_where_it_tells(
      [](const Host& host) { return fmt::format("with {}", fmt::join(host.cpu_features, " ")); });
}

}  // namespace breakeven
