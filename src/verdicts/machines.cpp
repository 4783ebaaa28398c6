#include "verdicts/machines.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <vector>

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

struct Generation {
  std::string_view vendor;
  int family = 0, first_model = 0, last_model = 0;
  std::string_view name;
};

// Sources: AMD: Linux, arch/x86/kernel/cpu/amd.c, bsp_init_amd(). Intel: Linux,
// arch/x86/include/asm/intel-family.h. ARM: Linux, arch/arm64/include/asm/cputype.h, with the implementer as
// family and the part as model.
constexpr std::array generations{
    Generation{"AuthenticAMD", 0x17, 0x00, 0x2f, "Zen 1"},
    Generation{"AuthenticAMD", 0x17, 0x30, 0x4f, "Zen 2"},
    Generation{"AuthenticAMD", 0x17, 0x50, 0x5f, "Zen 1"},
    Generation{"AuthenticAMD", 0x17, 0x60, 0x7f, "Zen 2"},
    Generation{"AuthenticAMD", 0x17, 0x90, 0x91, "Zen 2"},
    Generation{"AuthenticAMD", 0x17, 0xa0, 0xaf, "Zen 2"},
    Generation{"AuthenticAMD", 0x19, 0x00, 0x0f, "Zen 3"},
    Generation{"AuthenticAMD", 0x19, 0x10, 0x1f, "Zen 4"},
    Generation{"AuthenticAMD", 0x19, 0x20, 0x5f, "Zen 3"},
    Generation{"AuthenticAMD", 0x19, 0x60, 0xaf, "Zen 4"},
    Generation{"AuthenticAMD", 0x1a, 0x00, 0x2f, "Zen 5"},
    Generation{"AuthenticAMD", 0x1a, 0x40, 0x4f, "Zen 5"},
    Generation{"AuthenticAMD", 0x1a, 0x60, 0x7f, "Zen 5"},
    Generation{"GenuineIntel", 6, 0x3f, 0x3f, "Haswell"},
    Generation{"GenuineIntel", 6, 0x4f, 0x4f, "Broadwell"},
    Generation{"GenuineIntel", 6, 0x56, 0x56, "Broadwell"},
    Generation{"GenuineIntel", 6, 0x4e, 0x4e, "Skylake"},
    Generation{"GenuineIntel", 6, 0x5e, 0x5e, "Skylake"},
    Generation{"GenuineIntel", 6, 0x55, 0x55, "Skylake to Cooper Lake"},
    Generation{"GenuineIntel", 6, 0x6a, 0x6a, "Ice Lake"},
    Generation{"GenuineIntel", 6, 0x6c, 0x6c, "Ice Lake"},
    Generation{"GenuineIntel", 6, 0x7d, 0x7e, "Ice Lake"},
    Generation{"GenuineIntel", 6, 0x8c, 0x8d, "Tiger Lake"},
    Generation{"GenuineIntel", 6, 0x8f, 0x8f, "Sapphire Rapids"},
    Generation{"GenuineIntel", 6, 0x97, 0x97, "Alder Lake"},
    Generation{"GenuineIntel", 6, 0x9a, 0x9a, "Alder Lake"},
    Generation{"GenuineIntel", 6, 0xad, 0xae, "Granite Rapids"},
    Generation{"GenuineIntel", 6, 0xaf, 0xaf, "Sierra Forest"},
    Generation{"GenuineIntel", 6, 0xb7, 0xb7, "Raptor Lake"},
    Generation{"GenuineIntel", 6, 0xba, 0xba, "Raptor Lake"},
    Generation{"GenuineIntel", 6, 0xcf, 0xcf, "Emerald Rapids"},
    Generation{"ARM", 0x41, 0xd0c, 0xd0c, "Neoverse N1"},
    Generation{"ARM", 0x41, 0xd40, 0xd40, "Neoverse V1"},
    Generation{"ARM", 0x41, 0xd49, 0xd49, "Neoverse N2"},
    Generation{"ARM", 0x41, 0xd4f, 0xd4f, "Neoverse V2"},
    Generation{"ARM", 0x41, 0xd84, 0xd84, "Neoverse V3"},
    Generation{"ARM", 0x41, 0xd8e, 0xd8e, "Neoverse N3"},
};

/// The number that follows `word` in "... family 25 model 17 ...". Decimal, or hexadecimal after "0x".
std::optional<int> number_behind(std::string_view text, std::string_view word) {
  const auto at = text.find(word);
  if (at == std::string_view::npos || (at > 0 && text[at - 1] != ' ')) return std::nullopt;
  std::string_view digits = text.substr(at + word.size());
  const bool hexadecimal = digits.starts_with("0x");
  if (hexadecimal) digits.remove_prefix(2);
  int number = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), number, hexadecimal ? 16 : 10);
  return error == std::errc() && end != digits.data() ? std::optional(number) : std::nullopt;
}

/// Removes vendors, trademark signs and words such as "CPU": "Intel(R) Xeon(R) Platinum 8480+" -> "Xeon
/// Platinum 8480+".
std::string without_marks(const std::string& model) {
  static const std::regex marks(R"(\((R|r|TM|tm)\)|^(AMD|Intel)\b|\s@.*$)");
  static const std::regex words(R"(\s(CPU|Processor|[0-9]+-Core)\b)");
  static const std::regex spaces(R"(\s+)");
  std::string text = std::regex_replace(std::regex_replace(model, marks, ""), words, "");
  text = std::regex_replace(text, spaces, " ");
  const auto first = text.find_first_not_of(' ');
  if (first == std::string::npos) return model;
  return text.substr(first, text.find_last_not_of(' ') + 1 - first);
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

std::string processor_generation(std::string_view identity) {
  const bool is_arm = identity.starts_with("implementer ");
  const std::string_view vendor = is_arm ? "ARM" : identity.substr(0, identity.find(' '));
  const auto family = number_behind(identity, is_arm ? "implementer " : "family ");
  const auto model = number_behind(identity, is_arm ? "part " : "model ");
  if (!family || !model) return "";
  const auto found = std::ranges::find_if(generations, [&](const Generation& one) {
    return one.vendor == vendor && one.family == *family && one.first_model <= *model &&
           *model <= one.last_model;
  });
  return found == generations.end() ? "" : std::string(found->name);
}

std::string processor_name(const Host& host) {
  const std::string generation = processor_generation(host.cpu_identity);
  std::string short_name = without_marks(host.cpu);
  const bool says_model = std::ranges::any_of(short_name, [](char c) { return '0' <= c && c <= '9'; });
  if (says_model) return short_name;
  static const std::regex marks(R"(\((R|r|TM|tm)\))");
  if (generation.empty()) return std::regex_replace(host.cpu, marks, "");
  // On ARM, the kernel reports no processor name.
  return short_name.starts_with("unknown") ? generation : short_name + " " + generation;
}

}  // namespace breakeven
