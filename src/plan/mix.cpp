#include "plan/mix.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "plan/config.h"
#include "plan/config_parts.h"
#include "plan/json_file.h"

namespace breakeven {

Share read_share(const Json& entry, const Place& place, const std::filesystem::path& folder) {
  Json bare = entry;
  if (bare.is_object()) {
    bare.erase("weight");
    bare.erase("or_dtype");
  }
  Share share{.sweep = read_sweep(bare, place, folder), .weight = 1, .instead = {}};
  if (entry.contains("weight"))
    share.weight =
        require_above_zero(entry["weight"], place / "weight", ": how often each of the cases runs");
  if (!entry.contains("or_dtype")) return share;
  const Json& others = entry["or_dtype"];
  const Place at = place / "or_dtype";
  if (!others.is_array() || others.empty())
    at.fail(fmt::format("is {}; it must be a list of dtypes that are acceptable, too, such as [\"bf16\"]",
                        shown(others)));
  if (!bare.contains("dtype") || bare["dtype"].is_structured())
    at.fail("needs one 'dtype' that these may stand in for; give each dtype an entry of its own");
  for (std::size_t i = 0; i < others.size(); ++i) {
    if (others[i] == bare["dtype"]) (at / i).fail("is the workload's own dtype; remove it");
    Json other = bare;
    other["dtype"] = others[i];
    share.instead.push_back(read_sweep(other, at / i, folder));
  }
  return share;
}

std::vector<std::string> MixEntry::ids() const {
  std::vector<std::string> all{id};
  all.insert(all.end(), instead.begin(), instead.end());
  return all;
}

Mix read_mix(const std::filesystem::path& path) {
  const JsonFile file = read_json(path, FileKind::config);
  Mix mix{.title = config_from(file, path).title, .entries = {}};  // all that `run` would find fault with
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
                               .weight = 0,
                               .instead = {}});
      }
      MixEntry& entry = mix.entries[index->second];
      entry.weight += share.weight;
      for (const auto& other : instead) {
        std::string id = other[c].problem.id();
        if (std::find(entry.instead.begin(), entry.instead.end(), id) == entry.instead.end())
          entry.instead.push_back(std::move(id));
      }
    }
  }
  return mix;
}

}  // namespace breakeven
