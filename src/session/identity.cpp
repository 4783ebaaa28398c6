#include "session/identity.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <string_view>
#include <system_error>
#include <vector>

#include "protocol/foreign_text.h"
#include "session/discovery.h"
#include "workloads/dtype.h"
#include "workloads/workload.h"

namespace breakeven {
namespace {

using Names = std::map<std::string, std::string>;

/// Limits of what a hello may say, far beyond any real one: it is kept with every result.
constexpr std::size_t longest_backend_name = 100, longest_hello_text = 2000, most_hello_entries = 1000;
constexpr std::size_t quoted = 100;  // bytes of a text in a message

std::string choice_fault(std::string_view key, const std::string& value, std::string_view one,
                         std::string_view other) {
  if (value == one || value == other) return "";
  return fmt::format("'{}' is '{}' and must be {} or {}", key, shorten_text(value, quoted), one, other);
}

std::string name_fault(const std::string& name, const std::filesystem::path& program) {
  if (name.empty()) return "gives no name: 'name' is empty";
  if (name.size() > longest_backend_name)
    return fmt::format("'name' has {} bytes, and {} are allowed", name.size(), longest_backend_name);
  const std::string wanted = backend_name_of(program);
  if (wanted.empty() || name == wanted) return "";
  return fmt::format("'name' is '{}', and its file is {}{}: they must agree", name, backend_file_start,
                     wanted);
}

/// A simulated clock excuses every time, so a program alone cannot claim one.
std::string clock_fault(const answer::Hello& hello) {
  if (!has_simulated_clock(hello.libraries) || std::getenv(simulated_clock_variable) != nullptr) return "";
  return fmt::format("it has a simulated clock, so its times are not real; for a test, set {}=1",
                     simulated_clock_variable);
}

std::string supports_fault(const answer::Hello& hello) {
  if (hello.supports.empty()) return "supports nothing: 'supports' is empty";
  for (const auto& [op, dtypes] : hello.supports) {
    if (find_workload(op) == nullptr) continue;  // a newer program's
    for (const std::string& dtype : dtypes) {
      if (!parse_dtype(dtype))
        return fmt::format("'supports' names the dtype '{}' of {}, which this driver does not know",
                           shorten_text(dtype, quoted), op);
    }
  }
  return "";
}

/// All texts of a hello, besides its name.
std::vector<std::string_view> texts_of(const answer::Hello& hello) {
  std::vector<std::string_view> texts{hello.version, hello.device_name, hello.device_id};
  const auto add_pairs = [&](const auto& pairs) {
    for (const auto& [name, text] : pairs) texts.insert(texts.end(), {name, text});
  };
  add_pairs(hello.libraries);
  add_pairs(hello.library_files);
  add_pairs(hello.unreadable);
  texts.push_back(hello.variant);
  for (const answer::Variant& variant : hello.variants) {
    texts.push_back(variant.name);
    add_pairs(variant.environment);
  }
  texts.insert(texts.end(), hello.warnings.begin(), hello.warnings.end());
  texts.insert(texts.end(), hello.notes.begin(), hello.notes.end());
  for (const auto& [op, dtypes] : hello.supports) {
    texts.push_back(op);
    texts.insert(texts.end(), dtypes.begin(), dtypes.end());
  }
  return texts;
}

std::string size_fault(const answer::Hello& hello) {
  const auto texts = texts_of(hello);
  if (texts.size() > most_hello_entries)
    return fmt::format("hello has {} texts, and {} are allowed", texts.size(), most_hello_entries);
  const auto longest = std::ranges::max_element(texts, {}, &std::string_view::size);
  if (longest->size() <= longest_hello_text) return "";
  return fmt::format("hello has a text of {} bytes, and {} are allowed: {}", longest->size(),
                     longest_hello_text, shorten_text(*longest, quoted));
}

/// The size and time of a file: "1234 bytes of 1700000000000000000".
std::string stamp_of(const std::filesystem::path& file) {
  std::error_code error;
  const auto size = std::filesystem::file_size(file, error);
  if (error) return "";
  const auto time = std::filesystem::last_write_time(file, error);
  return fmt::format("{} bytes of {}", size, time.time_since_epoch().count());
}

/// Lists what differs between two programs: "device cpu -> gpu".
class Differences {
 public:
  void compare(std::string_view what, const std::string& was, const std::string& is) {
    if (was == is) return;
    const auto text = [](const std::string& value) {
      return value.empty() ? std::string("none") : shorten_text(value, quoted);
    };
    found_.push_back(fmt::format("{} {} -> {}", what, text(was), text(is)));
  }
  void compare_all(std::string_view start, const Names& was, const Names& is) {
    Names all = was;
    all.insert(is.begin(), is.end());
    for (const auto& [name, unused] : all)
      compare(fmt::format("{}{}", start, shorten_text(name, quoted)), value_in(was, name),
              value_in(is, name));
  }
  void note_replaced(const std::string& file) { found_.push_back(file + " was replaced"); }

  std::string text() const {
    constexpr std::size_t most = 3;
    const std::vector<std::string> first(
        found_.begin(), found_.begin() + static_cast<std::ptrdiff_t>(std::min(most, found_.size())));
    const std::string more =
        found_.size() > most ? fmt::format(" and {} more differences", found_.size() - most) : "";
    return fmt::format("{}{}", fmt::join(first, ", "), more);
  }

 private:
  static std::string value_in(const Names& names, const std::string& name) {
    const auto found = names.find(name);
    return found == names.end() ? "" : found->second;
  }
  std::vector<std::string> found_;
};

Names to_map(const std::vector<std::pair<std::string, std::string>>& pairs) {
  return {pairs.begin(), pairs.end()};
}

Names to_map(const std::vector<std::pair<std::string, std::vector<std::string>>>& supports) {
  Names map;
  for (const auto& [op, dtypes] : supports) {
    std::vector<std::string> sorted = dtypes;
    std::ranges::sort(sorted);
    map.emplace(op, fmt::format("in {}", fmt::join(sorted, ", ")));
  }
  return map;
}

}  // namespace

std::string hello_fault(const answer::Hello& hello, const std::filesystem::path& program) {
  for (std::string fault :
       {name_fault(hello.name, program), choice_fault("device", hello.device, "cpu", "gpu"),
        choice_fault("role", hello.role, "contender", "arbiter"), size_fault(hello), supports_fault(hello),
        clock_fault(hello)}) {
    if (!fault.empty()) return fault;
  }
  return "";
}

BackendRecord to_record(const std::filesystem::path& program, const answer::Hello& hello) {
  BackendRecord record{.name = hello.name,
                       .version = hello.version,
                       .role = hello.role,
                       .device = hello.device,
                       .device_name = hello.device_name,
                       .device_id = hello.device_id,
                       .libraries = hello.libraries,
                       .library_files = hello.library_files,
                       .supports = hello.supports,
                       .unreadable = hello.unreadable,
                       .warnings = hello.warnings,
                       .notes = quoted_notes(hello.notes),
                       .program = program.string(),
                       .available = true,
                       .reason = ""};
  record.file_stamps[record.program] = stamp_of(program);
  for (const auto& [library, file] : hello.library_files) record.file_stamps[file] = stamp_of(file);
  return record;
}

std::string difference_of_programs(const BackendRecord& known, const BackendRecord& now) {
  Differences found;
  found.compare("name", known.name, now.name);
  found.compare("version", known.version, now.version);
  found.compare("role", known.role, now.role);
  found.compare("device", known.device, now.device);
  found.compare("device_name", known.device_name, now.device_name);
  found.compare("device_id", known.device_id, now.device_id);
  found.compare_all("", to_map(known.libraries), to_map(now.libraries));
  found.compare_all("file of ", to_map(known.library_files), to_map(now.library_files));
  found.compare_all("", to_map(known.supports), to_map(now.supports));
  for (const auto& [file, stamp] : known.file_stamps) {
    const auto same = now.file_stamps.find(file);
    if (same != now.file_stamps.end() && same->second != stamp) found.note_replaced(file);
  }
  return found.text();
}

}  // namespace breakeven
