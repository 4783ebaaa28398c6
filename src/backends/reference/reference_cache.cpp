#include "backends/reference/reference_cache.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "host/cache_folder.h"
#include "text/hash.h"
#include "workloads/dataset.h"

namespace breakeven {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view schema = "breakeven.reference-result/1";
constexpr std::string_view file_end = ".result";
constexpr std::string_view unfinished_start = "unfinished-";
constexpr std::size_t digits_of_hash = 16;

std::string hash_of(std::string_view text) {
  Hash hash;
  hash.add(text);
  return hash.text();
}

/// Parameters that say how a backend computes or measures, and never change the result.
constexpr std::array<std::string_view, 6> without_effect{"tuned",    "transfer", "repetitions",
                                                         "operands", "graph",    "fused"};

/// The case with these parameters at their default values.
Case without_variants(Case problem) {
  for (const Parameter& parameter : problem.workload->parameters()) {
    if (parameter.default_value && std::ranges::find(without_effect, parameter.name) != without_effect.end())
      problem.parameters.set(parameter.name, *parameter.default_value);
  }
  return problem;
}

bool is_finite(const std::vector<double>& values) {
  return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
}

/// JSON has no other numbers.
bool is_finite(const Evidence& evidence) {
  return is_finite(evidence.elements) && is_finite(evidence.projections) && is_finite(evidence.losses) &&
         std::ranges::all_of(evidence.alternatives,
                             [](const Evidence& alternative) { return is_finite(alternative); });
}

bool is_hash(std::string_view text) {
  return text.size() == digits_of_hash &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// True for the name of a result's file: PROGRAM-KEY.result.
bool is_name_of_result(std::string_view name) {
  return name.size() == 2 * digits_of_hash + 1 + file_end.size() && name.ends_with(file_end) &&
         name[digits_of_hash] == '-' && is_hash(name.substr(0, digits_of_hash)) &&
         is_hash(name.substr(digits_of_hash + 1, digits_of_hash));
}

std::string text_of_entry(const std::string& key, const Evidence& evidence) {
  const std::string content = fmt::format("{}\n{}\n", key, to_line(Answer{evidence}));
  return fmt::format("{} {}\n{}", schema, hash_of(content), content);
}

/// The evidence in the text of a file; empty if the text is not that of a whole file for this key.
std::optional<Evidence> evidence_in(std::string_view text, const std::string& key) {
  const std::string start = fmt::format("{} ", schema);
  const std::size_t head = start.size() + digits_of_hash + 1;
  if (!text.starts_with(start) || text.size() < head || text[head - 1] != '\n') return std::nullopt;
  const std::string_view content = text.substr(head);
  if (hash_of(content) != text.substr(start.size(), digits_of_hash)) return std::nullopt;
  if (!content.starts_with(key + "\n") || !content.ends_with('\n')) return std::nullopt;
  const std::string_view line = content.substr(key.size() + 1, content.size() - key.size() - 2);
  try {
    auto answer = parse_answer<Evidence>(std::string(line));
    if (auto* evidence = std::get_if<Evidence>(&answer)) return std::move(*evidence);
  } catch (const ProtocolError&) {
    // Another version's text.
  }
  return std::nullopt;
}

}  // namespace

ReferenceCache::ReferenceCache(fs::path folder, std::string program, std::uintmax_t most_bytes)
    : folder_(std::move(folder)), program_(std::move(program)), most_bytes_(most_bytes) {}

Evidence ReferenceCache::result(const request::Expect& request, const std::function<Evidence()>& compute) {
  const std::string key = key_of(request);
  const fs::path file = file_of_key(key);
  if (auto kept = read(file, key, request.elements.size())) return std::move(*kept);
  Evidence computed = compute();
  if (computed.elements.size() == request.elements.size() && is_finite(computed))
    write(file, text_of_entry(key, computed));
  return computed;
}

fs::path ReferenceCache::file_of(const request::Expect& request) {
  return file_of_key(key_of(request));
}

fs::path ReferenceCache::file_of_key(const std::string& key) const {
  return folder_ / fmt::format("{}-{}{}", program_, hash_of(key), file_end);
}

std::string ReferenceCache::key_of(const request::Expect& request) {
  request::Expect equivalent = request;
  equivalent.problem = without_variants(request.problem);
  std::string data;
  if (request.problem.parameters.find("data") != nullptr)
    data = data_set(dataset_folder(request.problem.parameters.text("data")));
  return fmt::format("{} {} {}", program_, data, to_line(Request{std::move(equivalent)}));
}

const std::string& ReferenceCache::data_set(const fs::path& folder) {
  const auto [known, is_new] = data_sets_.try_emplace(folder);
  if (!is_new) return known->second;
  Hash hash;
  for (const char* split : {"train", "t10k"}) {
    for (const char* part : {"images-idx3-ubyte", "labels-idx1-ubyte"}) {
      for (const char* suffix : {"", ".gz"})
        hash.add(hash_of_file(folder / fmt::format("{}-{}{}", split, part, suffix)) + ",");
    }
  }
  return known->second = hash.text();
}

std::optional<Evidence> ReferenceCache::read(const fs::path& file, const std::string& key,
                                             std::size_t elements) {
  constexpr std::uintmax_t largest = std::uintmax_t{64} << 20U;
  std::error_code error;
  // Looked at before it is opened: opening a pipe would block.
  if (!fs::is_regular_file(file, error) || fs::file_size(file, error) > largest || error) return std::nullopt;
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  auto evidence = evidence_in(text, key);
  if (!evidence || evidence->elements.size() != elements) return std::nullopt;
  fs::last_write_time(file, fs::file_time_type::clock::now(), error);  // the last to be removed
  return evidence;
}

void ReferenceCache::write(const fs::path& file, const std::string& text) {
  if (text.size() > most_bytes_) return;
  std::error_code error;
  fs::create_directories(folder_, error);
  std::string unfinished = (folder_ / fmt::format("{}XXXXXX", unfinished_start)).string();
  const int descriptor = mkstemp(unfinished.data());
  if (descriptor < 0) return;
  close(descriptor);
  std::ofstream out(unfinished, std::ios::binary);
  out << text;
  out.close();
  if (out) fs::rename(unfinished, file, error);
  if (!out || error) {
    fs::remove(unfinished, error);
    return;
  }
  if (bytes_) *bytes_ += text.size();
  if (!bytes_ || *bytes_ > most_bytes_) remove_surplus();
}

/// Removes the results that were not used for the longest time if there are too many, and files that a
/// program that was killed has left.
void ReferenceCache::remove_surplus() {
  struct Kept {
    fs::file_time_type used;
    std::uintmax_t size;
    fs::path path;
  };
  constexpr std::chrono::hours longest_writing{1};
  std::vector<Kept> all;
  std::uintmax_t sum = 0;
  std::error_code error;
  const auto now = fs::file_time_type::clock::now();
  for (fs::directory_iterator entry(folder_, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename();
    std::error_code gone;  // another program may remove it at the same time
    const auto used = fs::last_write_time(entry->path(), gone);
    if (gone) continue;
    if (name.starts_with(unfinished_start)) {
      if (now - used > longest_writing) fs::remove(entry->path(), gone);
    } else if (is_name_of_result(name)) {
      const std::uintmax_t size = entry->file_size(gone);
      if (gone) continue;
      all.push_back({.used = used, .size = size, .path = entry->path()});
      sum += size;
    }
  }
  if (sum > most_bytes_) {
    // Some more are removed, so that the next results need not look at all files again.
    std::ranges::sort(all, {}, &Kept::used);
    for (const Kept& oldest : all) {
      if (sum <= most_bytes_ / 4 * 3) break;
      std::error_code gone;
      fs::remove(oldest.path, gone);
      sum -= oldest.size;
    }
  }
  bytes_ = sum;
}

std::string hash_of_file(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return "";
  std::ifstream in(file, std::ios::binary);
  Hash hash;
  std::vector<char> bytes(std::size_t{1} << 16U);
  do {
    in.read(bytes.data(), std::ssize(bytes));
    hash.add({bytes.data(), static_cast<std::size_t>(in.gcount())});
  } while (in);
  return in.eof() ? hash.text() : "";
}

std::unique_ptr<ReferenceCache> open_reference_cache() {
  const char* wanted = std::getenv(reference_cache_variable);
  if (wanted == nullptr || std::string_view(wanted) != "1") return nullptr;
  const fs::path folder = user_cache_folder();
  std::string program = hash_of_file("/proc/self/exe");
  if (folder.empty() || program.empty()) return nullptr;
  return std::make_unique<ReferenceCache>(folder / "reference", std::move(program));
}

}  // namespace breakeven
