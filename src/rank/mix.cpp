#include "rank/mix.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "plan/config.h"

namespace breakeven {

std::vector<std::string> MixEntry::ids() const {
  std::vector<std::string> all{id};
  all.insert(all.end(), instead.begin(), instead.end());
  return all;
}

namespace {

Mix mix_from(const JsonFile& file, const std::filesystem::path& path) {
  Mix mix{.title = config_from(file, path).title};  // throws whatever `run` would refuse
  std::unordered_map<std::string, std::size_t> known;
  const Json& workloads = file.document["workloads"];
  for (std::size_t i = 0; i < workloads.size(); ++i) {
    const Place place = Place(path.string()) / "workloads" / i;
    const Share share = read_share(workloads[i], place, path.parent_path());
    const std::vector<PlannedCase> cases = share.sweep.cases();
    std::vector<std::vector<PlannedCase>> instead;
    for (const Sweep& other : share.instead) instead.push_back(other.cases());
    for (std::size_t c = 0; c < cases.size(); ++c) {
      const Case& problem = cases[c].problem;
      const auto [index, is_new] = known.try_emplace(problem.id(), mix.entries.size());
      if (is_new) {
        mix.entries.push_back({.id = index->first,
                               .title = fmt::format("{} {}", problem.workload->op(),
                                                    problem.workload->title(problem.parameters)),
                               .weight = 0});
      }
      MixEntry& entry = mix.entries[index->second];
      entry.weight += share.weight;
      for (const auto& other : instead) {
        std::string id = other[c].problem.id();
        if (std::ranges::find(entry.instead, id) == entry.instead.end())
          entry.instead.push_back(std::move(id));
      }
    }
  }
  return mix;
}

}  // namespace

Mix read_mix(const std::filesystem::path& path) {
  return mix_from(read_json(path, FileKind::config), path);
}

std::optional<Mix> mix_of(const Result& result) {
  const JsonFile file{.text = result.config, .document = Json::parse(result.config, nullptr, false)};
  const Json workloads =
      file.document.is_object() ? file.document.value("workloads", Json::array()) : Json::array();
  const bool has_files = std::ranges::any_of(
      workloads, [](const Json& workload) { return workload.is_object() && workload.contains("shapes"); });
  if (has_files) return std::nullopt;
  try {
    return mix_from(file, "the result's config");
  } catch (const ConfigError&) {
    return std::nullopt;
  }
}

}  // namespace breakeven
