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

Mix read_mix(const std::filesystem::path& path) {
  const JsonFile file = read_json(path, FileKind::config);
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

}  // namespace breakeven
