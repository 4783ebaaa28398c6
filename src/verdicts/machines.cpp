#include "verdicts/machines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <vector>

#include "verdicts/processor_name.h"

namespace breakeven {
namespace {

/// A key from everything that older files record of a machine.
std::string key_without_identity(const Host& host) {
  return fmt::format("{}\n{}\n{}\n{}", host.name, host.cpu, host.cpus, fmt::join(host.cpu_features, " "));
}

void rename(Host& host, const std::string& name) {
  if (name == host.name) return;
  if (host.own_name.empty()) host.own_name = host.name;
  host.name = name;
}

/// The names of the first few files.
std::string some_of(std::span<const std::filesystem::path> files) {
  constexpr std::size_t most = 5;
  std::vector<std::string> names;
  for (const auto& file : files.first(std::min(most, files.size()))) names.push_back(file.string());
  return fmt::format("{}{}", fmt::join(names, ", "), files.size() > most ? ", ..." : "");
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

void apply_labels(std::span<Host* const> hosts, std::span<const std::filesystem::path> files,
                  std::span<const MachineLabel> labels) {
  std::map<std::string, std::string> names;  // by machine key
  for (const MachineLabel& label : labels) {
    if (label.name.empty())
      throw LabelError(fmt::format("--label {0}=: the name is empty; write {0}=NAME", label.file.string()));
    const auto file = std::ranges::find(files, label.file);
    if (file == files.end())
      throw LabelError(fmt::format("--label {}={}: this file is not among those that are read; they are {}",
                                   label.file.string(), label.name, some_of(files)));
    const Host& host = *hosts[static_cast<std::size_t>(file - files.begin())];
    const auto [known, fresh] = names.emplace(machine_key(host), label.name);
    if (!fresh && known->second != label.name)
      throw LabelError(fmt::format(
          "--label {}={}: another of its machine's files calls the machine '{}'; give it one name",
          label.file.string(), label.name, known->second));
  }
  if (names.empty()) return;
  std::map<std::string, std::string> machines;  // machine key by name
  for (const auto& [machine, name] : names) {
    if (!machines.emplace(name, machine).second)
      throw LabelError(
          fmt::format("--label: two machines would both be called '{}'; give each its own name", name));
  }
  for (Host* host : hosts) {
    const auto name = names.find(machine_key(*host));
    if (name == names.end()) {
      if (machines.contains(host->name))
        throw LabelError(fmt::format(
            "--label: another of these machines is already called '{}'; choose another name", host->name));
      continue;
    }
    rename(*host, name->second);
    host->is_labelled = true;
  }
}

void tell_machines_apart(std::span<Host* const> hosts) {
  std::vector<std::string> given;
  given.reserve(hosts.size());
  for (const Host* host : hosts) given.push_back(host->name);
  const auto add_where_it_tells = [&](const auto& more) {
    std::map<std::string, std::set<std::string>> of_name;
    for (const Host* host : hosts) of_name[host->name].insert(more(*host));
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      Host& host = *hosts[i];
      if (of_name[host.name].size() > 1)
        rename(host, host.name + (host.name == given[i] ? ": " : ", ") + more(host));
    }
  };
  add_where_it_tells([](const Host& host) { return processor_name(host); });
  add_where_it_tells([](const Host& host) { return fmt::format("{} CPUs", host.cpus); });
  add_where_it_tells([](const Host& host) { return identity_text(host); });
  add_where_it_tells(
      [](const Host& host) { return fmt::format("with {}", fmt::join(host.cpu_features, " ")); });
  // An original name that all machines share, and that was extended for all, is of no use: remove it.
  const std::string prefix = given.empty() ? "" : given.front() + ": ";
  const bool all_alike = !given.empty() && std::ranges::all_of(hosts, [&](const Host* host) {
    return host->name.starts_with(prefix);
  });
  if (!all_alike) return;
  for (Host* host : hosts) rename(*host, host->name.substr(prefix.size()));
}

}  // namespace breakeven
