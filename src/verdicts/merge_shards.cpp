#include "verdicts/merge_shards.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "plan/config.h"
#include "plan/suggestion.h"
#include "results/measure_settings.h"
#include "verdicts/roofline.h"
#include "verdicts/verdict.h"
#include "version.h"

namespace breakeven {
namespace {

template <typename... Values>
[[noreturn]] void refuse(fmt::format_string<Values...> message, Values&&... values) {
  throw ShardError(fmt::format(message, std::forward<Values>(values)...));
}

const Shard& shard_of(const ShardFile& file) {
  return file.result.shard->shard;
}

// ---- the files belong together

void check_are_shards(const std::vector<ShardFile>& files) {
  if (files.empty()) refuse("there is nothing to join; give the result files of the shards");
  for (const ShardFile& file : files) {
    if (!file.result.shard)
      refuse(
          "{}: does not say which shard of a run it is; give files that this version of `breakeven run` "
          "wrote "
          "with --shard",
          file.file);
  }
}

/// Throws unless `other` is of the same run as `first`.
void check_same_run(const ShardFile& first, const ShardFile& other) {
  const ShardRecord& was = *first.result.shard;
  const ShardRecord& is = *other.result.shard;
  const auto differ = [&](std::string_view what, const auto& then, const auto& now, std::string_view remedy) {
    if (then != now)
      refuse("{} has {} {}, and {} has {}; {}", first.file, what, then, other.file, now, remedy);
  };
  if (was.shard.count != is.shard.count)
    refuse("{} is shard {}, and {} is shard {}: they are parts of different divisions; give the files of one",
           first.file, was.shard.text(), other.file, is.shard.text());
  differ("the version of breakeven", first.result.tool_version, other.result.tool_version,
         "measure all shards with one version");
  if (first.result.config != other.result.config)
    refuse("{} and {} have different configs; measure all shards with the same config", first.file,
           other.file);
  differ("the number of cases", was.cases, is.cases,
         "measure all shards with the same --filter and the same lists of shapes");
  if (was.fingerprint != is.fingerprint)
    refuse(
        "{} and {} are shards of different cases; measure all with the same --filter and the same lists of "
        "shapes",
        first.file, other.file);
  differ("the precision", was.settings.precision, is.settings.precision,
         "give all shards the same --precision");
  differ("the time limit in seconds", was.settings.max_seconds, is.settings.max_seconds,
         "give all shards the same --seconds");
  differ("the time for energy in seconds", was.settings.energy_seconds, is.settings.energy_seconds,
         "give all shards the same --seconds");
  differ("library_defaults", was.settings.library_defaults, is.settings.library_defaults,
         "give all shards --library-defaults, or none");
  const auto then = names_in(first.result.backends);
  const auto now = names_in(other.result.backends);
  if (then != now)
    refuse("{} has the backends {}, and {} has {}; give all shards the same --backends", first.file,
           fmt::join(then, ", "), other.file, fmt::join(now, ", "));
  for (std::size_t i = 0; i < then.size(); ++i) {
    const BackendRecord& here = first.result.backends[i];
    const BackendRecord& there = other.result.backends[i];
    if (here.available == there.available) continue;
    const auto& [lacks, record] = here.available ? std::pair(&other, &there) : std::pair(&first, &here);
    refuse(
        "{}: {} was not available, and it was for other shards: {}; install it and measure the shard again, "
        "or "
        "leave it out of all shards with --backends",
        lacks->file, record->name, record->reason);
  }
}

/// Throws if two files name different commits. Files of earlier versions name none.
void check_commits(const std::vector<ShardFile>& files) {
  const auto is_known = [](const ShardFile& file) { return !file.result.tool_commit.empty(); };
  const auto first = std::ranges::find_if(files, is_known);
  for (auto other = first; other != files.end(); ++other) {
    if (is_known(*other) && other->result.tool_commit != first->result.tool_commit)
      refuse(
          "{} was measured by breakeven of commit {}, and {} by breakeven of commit {}; measure one of them "
          "again with the other's breakeven (`breakeven --version` shows its commit)",
          first->file, first->result.tool_commit, other->file, other->result.tool_commit);
  }
}

/// The commit of all files; empty if one does not name it.
std::string common_commit(const std::vector<ShardFile>& files) {
  const std::string& commit = files.front().result.tool_commit;
  const bool is_common =
      std::ranges::all_of(files, [&](const ShardFile& file) { return file.result.tool_commit == commit; });
  return is_common ? commit : "";
}

/// Sorts the files by shard. Throws unless each shard is there once.
void check_complete(std::vector<ShardFile>& files) {
  std::ranges::stable_sort(files, {}, shard_of);
  const auto twice = std::ranges::adjacent_find(files, {}, shard_of);
  if (twice != files.end())
    refuse("{} and {} are both shard {}; leave one out", twice->file, std::next(twice)->file,
           shard_of(*twice).text());
  Shard wanted{.number = 1, .count = shard_of(files.front()).count};
  std::vector<std::string> missing;
  constexpr std::size_t most_named = 8;
  for (auto file = files.begin(); wanted.number <= wanted.count && missing.size() <= most_named;
       ++wanted.number) {
    if (file != files.end() && shard_of(*file) == wanted)
      ++file;
    else
      missing.push_back(missing.size() < most_named ? wanted.text() : "...");
  }
  if (!missing.empty())
    refuse("shard{} {} {} missing; run `breakeven run CONFIG --shard {} --out FILE` and give that file, too",
           missing.size() == 1 ? "" : "s", fmt::join(missing, ", "), missing.size() == 1 ? "is" : "are",
           missing.front());
}

// ---- the machines

/// The host on which a shard was measured, and its GPUs if there are any.
std::string place_of(const Result& result) {
  std::vector<std::string> gpus;
  for (const Gpu& gpu : result.host.gpus) gpus.push_back(gpu.id);
  return gpus.empty() ? result.host.name : fmt::format("{} ({})", result.host.name, fmt::join(gpus, ", "));
}

/// The place of each shard; empty if all were measured in one.
std::optional<Note> places_of(const std::vector<ShardFile>& files) {
  Note note{.kind = NoteKind::places_of_shards};
  bool is_one = true;
  for (const ShardFile& file : files) {
    note.about.insert(note.about.end(), {place_of(file.result), shard_of(file).text()});
    is_one = is_one && *(note.about.end() - 2) == note.about.front();
  }
  return is_one ? std::nullopt : std::optional(note);
}

/// Gives the result the ids of the GPUs that `first` has. They identify a machine, but do not change its
/// times.
void take_gpu_ids(Result& result, const Result& first) {
  for (BackendRecord& backend : result.backends) {
    const BackendRecord* known = find_backend(first.backends, backend.name);
    if (known == nullptr || known->device_id.empty() || backend.device_id.empty()) continue;
    const auto gpu = std::ranges::find(result.host.gpus, backend.device_id, &Gpu::id);
    if (gpu != result.host.gpus.end()) gpu->id = known->device_id;
    backend.device_id = known->device_id;
  }
}

/// How the places of ranks differ in two shards. They have no case in common, so this compares the first
/// cases of each device with as many ranks. Empty if they agree.
std::optional<Note> rank_difference_of(const Result& first, const Result& other) {
  for (const CaseResult& is : other.cases) {
    const std::size_t ranks = is.conditions.ranks.size();
    const auto was = std::ranges::find_if(first.cases, [&](const CaseResult& c) {
      return c.device == is.device && c.conditions.ranks.size() == ranks;
    });
    if (ranks == 0 || was == first.cases.end()) continue;
    if (auto difference = rank_difference(*was, is)) return difference;
  }
  return std::nullopt;
}

/// All differences of two shards that may change times.
std::vector<FoundDifference> differences(const Result& first, const Result& other) {
  std::vector<FoundDifference> all = run_differences(first, other);
  const bool is_gpus_alone =
      std::ranges::all_of(other.cases, [](const CaseResult& c) { return c.device == "gpu"; });
  if (is_gpus_alone) std::erase_if(all, [](const FoundDifference& found) { return is_of_cpus(found.what); });
  if (auto difference = rank_difference_of(first, other))
    all.push_back({.what = Difference::threads, .note = std::move(*difference)});
  for (const BackendRecord& backend : first.backends) {
    for (FoundDifference& found : backend_differences(first, other, backend.name))
      all.push_back(std::move(found));
  }
  return all;
}

/// Compares the machine of each shard with the first one's. Adds a warning for each difference that is
/// allowed, or that may affect times a little. Returns true if nothing had to be allowed.
bool check_machines(std::vector<ShardFile>& files, const std::set<Difference>& allowed,
                    std::vector<Note>& warnings) {
  bool are_alike = true;
  const ShardFile& first = files.front();
  for (auto file = std::next(files.begin()); file != files.end(); ++file) {
    const std::string shard = shard_of(*file).text();
    for (Note& note : lesser_differences(first.result, file->result))
      warnings.push_back(with_source("shard " + shard, std::move(note)));
    take_gpu_ids(file->result, first.result);
    ShardsIncomparable refused{.first = first.file, .other = file->file};
    for (FoundDifference& found : differences(first.result, file->result)) {
      are_alike = false;
      if (allowed.contains(found.what)) {
        warnings.push_back(with_source("shard " + shard, with_source("allowed", std::move(found.note))));
      } else {
        refused.differences.push_back(std::move(found.note));
        add_once(refused.kinds, std::string(name(found.what)));
      }
    }
    if (!refused.differences.empty()) throw ShardsIncomparable{std::move(refused)};
  }
  return are_alike;
}

// ---- joining

template <typename T>
void add_new(std::vector<T>& list, const std::vector<T>& more) {
  for (const T& one : more) add_once(list, one);
}

/// A shard that is not complete, with the options to continue it.
Note incomplete_shard(const ShardFile& file) {
  const Measure usual;
  const ShardSettings defaults{
      .precision = usual.precision, .max_seconds = usual.max_seconds, .energy_seconds = usual.energy_seconds};
  const auto& cases = file.result.cases;
  const auto missing = std::ranges::count(cases, Status::interrupted, &CaseResult::status);
  return {.kind = NoteKind::incomplete_shard,
          .figures = {static_cast<double>(missing), static_cast<double>(cases.size())},
          .about = {shard_of(file).text(), file.file, options_of_shard(file.result, defaults)}};
}

std::optional<Sampling> sum_of_sampling(const std::vector<ShardFile>& files) {
  std::optional<Sampling> sum;
  for (const ShardFile& file : files) {
    if (!file.result.sampling) continue;
    if (!sum) sum.emplace();
    sum->wall_seconds += file.result.sampling->wall_seconds;
    sum->sample_seconds += file.result.sampling->sample_seconds;
    sum->probe_seconds += file.result.sampling->probe_seconds;
  }
  return sum;
}

std::optional<MachineSpeed> joined_speed(const std::vector<ShardFile>& files) {
  std::optional<MachineSpeed> joined;
  for (const ShardFile& file : files) joined = joined_speeds(joined, file.result.machine_speed);
  return joined;
}

/// Takes the cases of all shards, in the config's order, and those of one case in the order of the backends.
/// Throws if a file does not have the cases of its shard.
std::vector<CaseResult> joined_cases(std::vector<ShardFile>& files) {
  struct Placed {
    std::size_t position = 0, backend = 0;
    CaseResult* result = nullptr;
  };
  std::vector<Placed> placed;
  std::size_t sum = 0;
  for (const ShardFile& file : files) sum += file.result.shard->positions.size();
  if (sum != files.front().result.shard->cases)
    refuse("the shards have {} cases together, and the run has {}; measure them again", sum,
           files.front().result.shard->cases);
  std::vector<bool> is_taken(sum, false);
  const auto names = names_in(files.front().result.backends);
  for (ShardFile& file : files) {
    const auto& positions = file.result.shard->positions;
    std::unordered_map<std::string, std::size_t> index;  // of the case in the shard, by id
    for (CaseResult& c : file.result.cases) {
      const std::size_t i = index.try_emplace(c.id, index.size()).first->second;
      if (i >= positions.size()) break;
      const auto backend = std::ranges::find(names, c.backend);
      placed.push_back({.position = positions[i],
                        .backend = static_cast<std::size_t>(backend - names.begin()),
                        .result = &c});
    }
    const bool is_repeated =
        std::ranges::any_of(positions, [&](std::size_t position) { return is_taken[position]; });
    if (index.size() != positions.size() || is_repeated)
      refuse(
          "{}: does not have the cases of shard {}; measure it again with `breakeven run CONFIG --shard {} "
          "--out FILE`",
          file.file, shard_of(file).text(), shard_of(file).text());
    for (const std::size_t position : positions) is_taken[position] = true;
  }
  std::ranges::stable_sort(placed, {}, [](const Placed& p) { return std::pair(p.position, p.backend); });
  std::vector<CaseResult> cases;
  cases.reserve(placed.size());
  std::vector<std::string> ids;
  for (const Placed& p : placed) {
    if (ids.size() <= p.position) ids.push_back(p.result->id);
    cases.push_back(std::move(*p.result));
  }
  if (fingerprint_of(ids) != files.front().result.shard->fingerprint)
    refuse(
        "the cases of the shards are not those of their run, which its fingerprint tells; measure them "
        "again");
  for (ShardFile& file : files) file.result.cases.clear();
  return cases;
}

}  // namespace

std::vector<std::string> allowable_differences() {
  std::vector<std::string> names = all_names<Difference>();
  std::erase(names, name(Difference::algorithm));  // may differ from case to case
  return names;
}

Result merge_shards(std::vector<ShardFile> files, const std::set<Difference>& allowed) {
  check_are_shards(files);
  for (const ShardFile& file : files) check_same_run(files.front(), file);
  check_commits(files);
  check_complete(files);

  std::vector<Note> warnings;
  if (auto places = places_of(files)) warnings.push_back(std::move(*places));
  const bool are_alike = check_machines(files, allowed, warnings);
  for (const ShardFile& file : files) {
    if (!file.result.complete) add_once(warnings, incomplete_shard(file));
    add_new(warnings, file.result.warnings);
  }
  std::vector<CaseResult> cases = joined_cases(files);
  Result merged = files.front().result;
  merged.cases = std::move(cases);
  merged.machines_differ = !are_alike;
  for (const ShardFile& file : files) merged.host.cpus = std::max(merged.host.cpus, file.result.host.cpus);
  merged.shard.reset();
  merged.tool_commit = common_commit(files);
  merged.warnings = std::move(warnings);
  merged.created =
      std::ranges::min(files, {}, [](const ShardFile& file) { return file.result.created; }).result.created;
  merged.complete = std::ranges::all_of(files, [](const ShardFile& file) { return file.result.complete; });
  merged.sampling = sum_of_sampling(files);
  merged.machine_speed = joined_speed(files);
  for (const ShardFile& file : files) {
    for (BackendRecord& backend : merged.backends) {
      const BackendRecord& other = *find_backend(file.result.backends, backend.name);
      add_new(backend.warnings, other.warnings);
      add_new(backend.notes, other.notes);
    }
  }
  // `run` does the same, but another shard may have measured the ceilings.
  if (optimised && are_alike) mark_implausible(merged);
  return merged;
}

}  // namespace breakeven
