#include "results/file_kind.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <utility>

#include "results/google_benchmark.h"
#include "results/json.h"
#include "results/reading.h"
#include "results/result.h"

namespace breakeven {
namespace {

struct KindEntry {
  FileKind kind = FileKind::unknown;
  std::string_view schema;       // before the slash; empty: the kind has no schema
  std::string_view description;  // as in messages
};

constexpr std::array<KindEntry, 16> kinds{{
    {FileKind::result, "breakeven.result", "a result of `breakeven run`"},
    {FileKind::threshold, "breakeven.threshold", "an answer of `breakeven threshold`"},
    {FileKind::verdict, "breakeven.verdict", "a verdict of `breakeven gate` or `compare`"},
    {FileKind::selftest, "breakeven.selftest", "a self-test"},
    {FileKind::gate_quality, "breakeven.gate-quality", "a table of a gate's quality"},
    {FileKind::history_check, "breakeven.history", "a check of a history"},
    {FileKind::ranking, "breakeven.rank", "a ranking of machines"},
    {FileKind::fleet, "breakeven.fleet",
     "a table of a fleet's nodes (`breakeven fleet` shows it from their results)"},
    {FileKind::config, "", "a config"},
    {FileKind::shapes, "", "a list of shapes"},
    {FileKind::prices, "", "a list of prices"},
    {FileKind::device_catalogue, "", "a catalogue of devices"},
    {FileKind::device_list, "", "a list of this machine's backends"},
    {FileKind::result_without_schema, "", "a result that has no schema"},
    {FileKind::google_benchmark, "", "Google Benchmark's JSON"},
    {FileKind::unknown, "", "JSON of an unknown kind"},
}};

/// The keys by which documents without a schema are recognised.
constexpr std::array<std::pair<FileKind, std::array<std::string_view, 2>>, 7> keys_of_kinds{{
    {FileKind::google_benchmark, {"context", "benchmarks"}},
    {FileKind::config, {"workloads", "workloads"}},
    {FileKind::shapes, {"columns", "rows"}},
    {FileKind::prices, {"prices", "prices"}},
    {FileKind::result_without_schema, {"backends", "cases"}},
    {FileKind::device_list, {"host", "backends"}},
    {FileKind::device_catalogue, {"devices", "devices"}},
}};

/// The largest number of files that a message names.
constexpr std::size_t most_named = 3;

/// Joins descriptions: "a result of `breakeven run` or an answer of `breakeven threshold`".
std::string any_of_text(std::span<const FileKind> wanted) {
  std::vector<std::string_view> words(wanted.size());
  std::ranges::transform(wanted, words.begin(), describe);
  return fmt::format("{}", fmt::join(words, " or "));
}

}  // namespace

FileKind kind_of(const Json& document) {
  if (!document.is_object()) return FileKind::unknown;
  if (const auto schema = document.find("schema"); schema != document.end() && schema->is_string()) {
    const auto& text = schema->get_ref<const std::string&>();
    const std::string_view name = std::string_view(text).substr(0, text.rfind('/'));
    for (const KindEntry& entry : kinds) {
      if (!entry.schema.empty() && entry.schema == name) return entry.kind;
    }
    return FileKind::unknown;
  }
  for (const auto& [kind, keys] : keys_of_kinds) {
    if (std::ranges::all_of(keys, [&](std::string_view key) { return document.contains(key); })) return kind;
  }
  return FileKind::unknown;
}

std::string_view describe(FileKind kind) {
  return std::ranges::find(kinds, kind, &KindEntry::kind)->description;
}

std::vector<SkippedFile> read_files_of(
    std::span<const std::filesystem::path> files, std::span<const FileKind> wanted,
    const std::function<void(const std::filesystem::path&, FileKind, AnyFile&)>& read) {
  std::vector<SkippedFile> skipped;
  const auto parse = [](const std::filesystem::path& file) {
    return naming_file(file.string(), [&] {
      AnyText text = read_any_text(file);
      // Google Benchmark's may contain bare NaN, which is not JSON.
      return std::pair(text.is_google_benchmark,
                       std::make_unique<AnyFile>(text.is_google_benchmark ? parts_of("null") : text.parts(),
                                                 Detail::figures));
    });
  };
  read_ahead(files, parse, [&](const std::filesystem::path& file, auto parsed) {
    const FileKind kind = parsed.first ? FileKind::google_benchmark : kind_of(parsed.second->document());
    if (std::ranges::find(wanted, kind) == wanted.end())
      skipped.push_back({.file = file, .kind = kind});
    else
      naming_file(file.string(), [&] { read(file, kind, *parsed.second); });
  });
  if (skipped.size() < files.size() || files.empty()) return skipped;
  if (skipped.size() == 1)
    throw ResultError(fmt::format("{}: is {}; give {}", skipped[0].file.string(), describe(skipped[0].kind),
                                  any_of_text(wanted)));
  throw ResultError(fmt::format("none of the {} files can be used here: {}; give {}", skipped.size(),
                                skipped_text(skipped), any_of_text(wanted)));
}

std::string skipped_text(std::span<const SkippedFile> skipped) {
  if (skipped.empty()) return "";
  std::map<FileKind, std::vector<std::string>> by_kind;
  for (const SkippedFile& one : skipped) by_kind[one.kind].push_back(one.file.string());
  std::vector<std::string> parts;
  for (const auto& [kind, files] : by_kind) {
    const std::size_t named = std::min(files.size(), most_named);
    const std::string names =
        fmt::format("{}", fmt::join(files.begin(), files.begin() + static_cast<std::ptrdiff_t>(named), ", "));
    const std::string more = named < files.size() ? fmt::format(" and {} more", files.size() - named) : "";
    parts.push_back(files.size() == 1 ? fmt::format("{} is {}", names, describe(kind))
                                      : fmt::format("{}{} are each {}", names, more, describe(kind)));
  }
  return fmt::format("{} file{} skipped: {}", skipped.size(), skipped.size() == 1 ? "" : "s",
                     fmt::join(parts, "; "));
}

}  // namespace breakeven
