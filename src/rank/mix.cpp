#include "rank/mix.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "plan/config.h"

namespace breakeven {

std::vector<std::string> MixEntry::ids() const {
  std::vector<std::string> all{id};
  all.insert(all.end(), instead.begin(), instead.end());
  return all;
}

std::set<std::string> ids_of(const Mix& mix) {
  std::set<std::string> all;
  for (const MixEntry& entry : mix.entries) {
    for (std::string& id : entry.ids()) all.insert(std::move(id));
  }
  return all;
}

namespace {

/// Adds the other acceptable dtypes to the titles of entries that differ in them alone: "... f32 (or bf16)".
void name_dtypes_apart(std::vector<MixEntry>& entries) {
  std::map<std::string, std::size_t> count;
  for (const MixEntry& entry : entries) ++count[entry.id];
  for (MixEntry& entry : entries) {
    if (count[entry.id] == 1) continue;
    std::vector<std::string> dtypes;
    dtypes.reserve(entry.instead.size());
    for (const std::string& id : entry.instead) dtypes.push_back(id.substr(id.rfind('/') + 1));
    if (!dtypes.empty()) entry.title += fmt::format(" (or {})", fmt::join(dtypes, ", "));
  }
}

Mix mix_from(const JsonFile& file, const std::filesystem::path& path) {
  Mix mix{.title = config_from(file, path).title};  // throws whatever `run` would refuse
  // Work that accepts one dtype alone must not be done in those that other work accepts, too.
  std::map<std::pair<std::string, std::set<std::string>>, std::size_t> known;
  const Json& workloads = file.document["workloads"];
  for (std::size_t i = 0; i < workloads.size(); ++i) {
    const Place place = Place(path.string()) / "workloads" / i;
    const Share share = read_share(workloads[i], place, path.parent_path());
    const std::vector<PlannedCase> cases = share.sweep.cases();
    std::vector<std::vector<PlannedCase>> instead;
    for (const Sweep& other : share.instead) instead.push_back(other.cases());
    for (std::size_t c = 0; c < cases.size(); ++c) {
      const Case& problem = cases[c].problem;
      MixEntry entry{
          .id = problem.id(),
          .title = fmt::format("{} {}", problem.workload->op(), problem.workload->title(problem.parameters)),
          .weight = share.weight};
      std::set<std::string> accepted;
      for (const auto& other : instead) {
        std::string id = other[c].problem.id();
        if (accepted.insert(id).second) entry.instead.push_back(std::move(id));
      }
      const auto [same, is_new] = known.try_emplace({entry.id, accepted}, mix.entries.size());
      if (is_new)
        mix.entries.push_back(std::move(entry));
      else
        mix.entries[same->second].weight += share.weight;
    }
  }
  name_dtypes_apart(mix.entries);
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
