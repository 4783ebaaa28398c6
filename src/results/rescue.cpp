#include "results/rescue.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <system_error>
#include <vector>

#include "results/whole_file.h"

namespace breakeven {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// The folders for rescued files, in the order in which they are tried.
std::vector<fs::path> rescue_folders(const fs::path& target, const fs::path& results_folder) {
  std::vector<fs::path> folders;
  if (target != "-" && !is_special_file(target)) folders.push_back(link_target(target).parent_path());
  folders.push_back(results_folder);
  const std::string temporary = variable("TMPDIR");
  folders.emplace_back(temporary.empty() ? "/tmp" : temporary);
  if (const std::string home = variable("HOME"); !home.empty()) folders.emplace_back(home);
  return folders;
}

/// The path of a new file: "NAME.rescued-PID.json", with a number added if that exists.
fs::path rescue_file(const fs::path& folder, const std::string& name) {
  std::error_code error;
  fs::path file = folder / fmt::format("{}.rescued-{}.json", name, getpid());
  for (int i = 2; fs::exists(fs::symlink_status(file, error)); ++i)
    file = folder / fmt::format("{}.rescued-{}-{}.json", name, getpid(), i);
  return file;
}

}  // namespace

fs::path results_folder_of(const std::string& host) {
  return fs::path("results") / host;
}

std::optional<fs::path> save_rescue(const fs::path& target, const fs::path& results_folder,
                                    std::string_view text) {
  const bool is_named = target != "-" && !is_special_file(target) && !target.stem().empty();
  const std::string name = is_named ? target.stem().string() : "breakeven";
  for (const fs::path& folder : rescue_folders(target, results_folder)) {
    const fs::path file = rescue_file(folder, name);
    try {
      write_whole_file(file, text);
      std::error_code error;
      const fs::path whole = fs::absolute(file, error);  // the reader of the message may be in another folder
      return error ? file : whole;
    } catch (const std::system_error&) {
      continue;  // try the next folder
    }
  }
  return std::nullopt;
}

std::string describe_rescue(const std::optional<fs::path>& rescued) {
  return rescued
             ? fmt::format("what was measured is in {}", rescued->string())
             : "what was measured is lost: no other folder takes it either (the folder of results, TMPDIR "
               "and HOME were tried)";
}

}  // namespace breakeven
