#include "plan/config_files.h"

#include <system_error>

#include "plan/json_file.h"

namespace breakeven {
namespace {

namespace fs = std::filesystem;

void add_file_or_folder(const fs::path& path, std::vector<fs::path>& files) {
  std::error_code error;
  if (fs::is_regular_file(path, error)) files.push_back(path);
  if (!fs::is_directory(path, error)) return;
  for (auto entry = fs::directory_iterator(path, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    if (entry->is_regular_file(error)) files.push_back(entry->path());
  }
}

/// Adds each file that a string in `value` names, relative to the config's folder.
void add_named_files(const Json& value, const fs::path& folder, std::vector<fs::path>& files) {
  constexpr std::size_t longest_path = 4096;
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    if (!text.empty() && text.size() <= longest_path) add_file_or_folder(folder / text, files);
    return;
  }
  if (!value.is_structured()) return;
  for (const Json& inner : value) add_named_files(inner, folder, files);
}

}  // namespace

std::vector<fs::path> files_of_configs(const std::vector<fs::path>& configs) {
  std::vector<fs::path> files;
  for (const fs::path& config : configs) {
    files.push_back(config);
    const Json document = read_json(config).document;
    if (document.is_object() && document.contains("workloads"))
      add_named_files(document["workloads"], config.parent_path(), files);
  }
  return files;
}

}  // namespace breakeven
