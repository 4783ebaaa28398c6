#include "verdicts/machines.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "text/counted.h"

namespace breakeven {
namespace {

/// A key from everything that older files record of a machine.
std::string key_without_identity(const Host& host) {
  return fmt::format("{}\n{}\n{}\n{}", host.name, host.cpu, host.cpus, fmt::join(host.cpu_features, " "));
}

/// A key from the name and the processors, without GPUs.
std::string processors_key(const Host& host) {
  return fmt::format("{}\n{}", key_without_identity(host), host.cpu_identity);
}

// ---- lists of GPUs

std::set<std::string> gpu_names(const Host& host) {
  std::set<std::string> names;
  for (const Gpu& gpu : host.gpus) names.insert(gpu.name.value_or(gpu.id));
  return names;
}

bool contains_gpu(const std::vector<Gpu>& gpus, const Gpu& gpu) {
  return std::ranges::find(gpus, gpu.id, &Gpu::id) != gpus.end();
}

bool share_a_gpu(const std::vector<Gpu>& a, const std::vector<Gpu>& b) {
  return std::ranges::any_of(a, [&](const Gpu& gpu) { return contains_gpu(b, gpu); });
}

void add_new_gpus(std::vector<Gpu>& gpus, const std::vector<Gpu>& more) {
  for (const Gpu& gpu : more) {
    if (!contains_gpu(gpus, gpu)) gpus.push_back(gpu);
  }
}

/// The GPUs of each machine among hosts that agree in everything else.
std::vector<std::vector<Gpu>> gpus_of_machines(std::span<Host* const> hosts) {
  std::map<std::set<std::string>, std::vector<Gpu>> by_names;
  for (const Host* host : hosts) {
    if (!host->gpus.empty()) add_new_gpus(by_names[gpu_names(*host)], host->gpus);
  }
  std::vector<std::vector<Gpu>> machines;
  for (auto& [names, gpus] : by_names) {
    for (auto known = machines.begin(); known != machines.end();) {
      if (!share_a_gpu(*known, gpus)) {
        ++known;
        continue;
      }
      add_new_gpus(gpus, *known);
      known = machines.erase(known);
    }
    machines.push_back(std::move(gpus));
  }
  return machines;
}

// ---- names

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

/// The user's names, by file. Throws LabelError.
std::map<std::filesystem::path, std::string> labels_by_file(std::span<const std::filesystem::path> files,
                                                            std::span<const MachineLabel> labels) {
  std::map<std::filesystem::path, std::string> names;
  for (const MachineLabel& label : labels) {
    if (label.name.empty())
      throw LabelError(fmt::format("--label {0}=: the name is empty; write {0}=NAME", label.file.string()));
    if (std::ranges::find(files, label.file) == files.end())
      throw LabelError(fmt::format("--label {}={}: this file is not among those that are read; they are {}",
                                   label.file.string(), label.name, some_of(files)));
    const auto [known, fresh] = names.emplace(label.file, label.name);
    if (!fresh && known->second != label.name)
      throw LabelError(
          fmt::format("--label {}={}: another label calls the machine of this file '{}'; give it one name",
                      label.file.string(), label.name, known->second));
  }
  return names;
}

/// The user's name for each host; empty if it has none. Throws LabelError.
std::vector<std::string> labels_of_hosts(std::span<Host* const> hosts,
                                         std::span<const std::filesystem::path> files,
                                         std::span<const MachineLabel> labels) {
  const auto by_file = labels_by_file(files, labels);
  std::map<std::filesystem::path, std::string> machine_of_file;
  std::map<std::string, std::set<std::string>> names_of_machine;
  std::vector<std::string> names(hosts.size());
  const auto is_of_file = [&](std::size_t i, const std::string& machine) {
    return machine_of_file.emplace(files[i], machine).first->second == machine;
  };
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const std::string machine = machine_key(*hosts[i]);
    const auto label = by_file.find(files[i]);
    if (!is_of_file(i, machine) || label == by_file.end()) continue;
    names[i] = label->second;
    names_of_machine[machine].insert(label->second);
  }
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const std::string machine = machine_key(*hosts[i]);
    const auto known = names_of_machine.find(machine);
    if (!names[i].empty() || known == names_of_machine.end()) continue;
    if (known->second.size() == 1)
      names[i] = *known->second.begin();
    else if (is_of_file(i, machine))
      throw LabelError(fmt::format("--label: '{}' may each be the machine of {}; give this file a label, too",
                                   fmt::join(known->second, "' and '"), files[i].string()));
  }
  return names;
}

/// Names hosts whose files record no name as the only one of the same processors and host name that has one.
void name_like_others(std::span<Host* const> hosts) {
  const auto recorded_key = [](Host host) {
    host.name = host.recorded_name();
    return processors_key(host);
  };
  std::map<std::string, std::set<std::string>> names;
  for (const Host* host : hosts) {
    if (host->is_labelled) names[recorded_key(*host)].insert(host->name);
  }
  for (Host* host : hosts) {
    const auto known = names.find(recorded_key(*host));
    if (host->is_labelled || known == names.end() || known->second.size() > 1) continue;
    rename(*host, *known->second.begin());
    host->is_labelled = true;
  }
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
  static const RE2 marks(R"(\((R|r|TM|tm)\)|^(AMD|Intel)\b|\s@.*$)");
  static const RE2 words(R"(\s(CPU|Processor|[0-9]+-Core)\b)");
  static const RE2 spaces(R"(\s+)");
  std::string text = model;
  RE2::GlobalReplace(&text, marks, "");
  RE2::GlobalReplace(&text, words, "");
  RE2::GlobalReplace(&text, spaces, " ");
  const auto first = text.find_first_not_of(' ');
  if (first == std::string::npos) return model;
  return text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

}  // namespace

std::string machine_key(const Host& host) {
  std::string processors = processors_key(host);
  // A user's name stands for one machine, whichever of its GPUs each file lists.
  if (host.is_labelled || host.gpus.empty()) return processors;
  return fmt::format("{}\n{}", processors, fmt::join(gpu_names(host), ", "));
}

std::string gpus_text(const Host& host) {
  return host.gpus.empty() ? "CPU alone" : fmt::format("{}", fmt::join(gpu_names(host), ", "));
}

std::string identity_text(const Host& host) {
  return host.cpu_identity.empty() ? "processor's numbers not known" : host.cpu_identity;
}

void take_recorded_names(std::span<Host* const> hosts) {
  for (Host* host : hosts) {
    if (host->machine.empty()) continue;
    rename(*host, host->machine);
    host->is_labelled = true;
  }
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

void complete_gpus(std::span<Host* const> hosts) {
  std::map<std::string, std::vector<Host*>> alike;
  for (Host* host : hosts) alike[processors_key(*host)].push_back(host);
  for (const auto& [processors, of_processors] : alike) {
    const std::vector<std::vector<Gpu>> machines = gpus_of_machines(of_processors);
    for (Host* host : of_processors) {
      const auto own = std::ranges::find_if(machines, [&](const std::vector<Gpu>& gpus) {
        return host->gpus.empty() ? machines.size() == 1 : share_a_gpu(gpus, host->gpus);
      });
      if (own != machines.end()) host->gpus = *own;
    }
  }
}

void apply_labels(std::span<Host* const> hosts, std::span<const std::filesystem::path> files,
                  std::span<const MachineLabel> labels) {
  name_like_others(hosts);
  const std::vector<std::string> names = labels_of_hosts(hosts, files, labels);
  std::map<std::string, std::string> processors;  // by name
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    if (names[i].empty()) continue;
    const std::string own = processors_key(*hosts[i]);
    if (processors.emplace(names[i], own).first->second != own)
      throw LabelError(
          fmt::format("--label: two machines would both be called '{}'; give each its own name", names[i]));
  }
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    if (names[i].empty() && processors.contains(hosts[i]->name))
      throw LabelError(fmt::format(
          "--label: another of these machines is already called '{}'; choose another name", hosts[i]->name));
  }
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    if (names[i].empty()) continue;
    rename(*hosts[i], names[i]);
    hosts[i]->is_labelled = true;
  }
  std::map<std::string, std::set<std::string>> of_recorded_name;
  for (const Host* host : hosts) {
    if (host->is_labelled) of_recorded_name[host->name].insert(processors_key(*host));
  }
  for (Host* host : hosts) {
    if (of_recorded_name[host->name].size() > 1) host->is_labelled = false;
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
      if (!host.is_labelled && of_name[host.name].size() > 1)
        rename(host, host.name + (host.name == given[i] ? ": " : ", ") + more(host));
    }
  };
  add_where_it_tells(short_name);
  add_where_it_tells(processor_name);
  add_where_it_tells([](const Host& host) { return counted_text(host.cpus, "CPU", "CPUs"); });
  add_where_it_tells([](const Host& host) { return identity_text(host); });
  add_where_it_tells(
      [](const Host& host) { return fmt::format("with {}", fmt::join(host.cpu_features, " ")); });
  add_where_it_tells(gpus_text);
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
  std::string generation = processor_generation(host.cpu_identity);
  std::string model = without_marks(host.cpu);
  const bool has_number = std::ranges::any_of(model, [](char c) { return '0' <= c && c <= '9'; });
  if (has_number) return model;
  if (!generation.empty()) return generation;
  static const RE2 marks(R"(\((R|r|TM|tm)\))");
  std::string name = host.cpu;
  RE2::GlobalReplace(&name, marks, "");
  return name;
}

std::string short_gpu_name(const std::string& name) {
  static const RE2 maker("^(NVIDIA|AMD|Intel) ");
  static const RE2 memory(R"( [0-9]+ ?GB( HBM[0-9]\w*)?$)");
  std::string text = name;
  RE2::Replace(&text, maker, "");
  RE2::Replace(&text, memory, "");
  return text;
}

std::string short_name(const Host& host) {
  if (host.gpus.empty())
    return host.cores == 0
               ? processor_name(host)
               : fmt::format("{}, {}", processor_name(host), counted_text(host.cores, "core", "cores"));
  std::map<std::string, std::size_t> count;
  for (const Gpu& gpu : host.gpus) ++count[short_gpu_name(gpu.name.value_or(gpu.id))];
  std::vector<std::string> names;
  names.reserve(count.size());
  for (const auto& [name, number] : count)
    names.push_back(number == 1 ? name : fmt::format("{} x {}", number, name));
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace breakeven
