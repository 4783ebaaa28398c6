#include "cli/named_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cli/subcommand.h"
#include "install_paths.h"
#include "plan/suggestion.h"
#include "results/rescue.h"
#include "session/environment.h"

namespace breakeven {
namespace {

namespace fs = std::filesystem;

constexpr const char* json_suffix = ".json";

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error) || error;  // a path that cannot be examined is left to its reader
}

/// True only for files: a config takes precedence over a folder of the same name.
bool is_file(const fs::path& path) {
  std::error_code error;
  return is_there(path) && !fs::is_directory(path, error);
}

bool is_bare(const std::string& text) {
  return text.find('/') == std::string::npos;
}

/// The names in a folder; empty if it cannot be read.
std::vector<std::string> entries(const fs::path& folder) {
  constexpr std::size_t most = 10'000;
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (names.size() == most) break;
    names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

std::vector<std::string> json_names(const fs::path& folder) {
  std::vector<std::string> names;
  for (const std::string& entry : entries(folder)) {
    if (entry.ends_with(json_suffix)) names.push_back(entry.substr(0, entry.size() - 5));
  }
  return names;
}

/// Finds `name` or `name`.json in `folder`.
std::optional<fs::path> find_by_name(const fs::path& folder, const std::string& name) {
  for (const fs::path& file : {folder / name, folder / (name + json_suffix)}) {
    if (is_file(file)) return file;
  }
  return std::nullopt;
}

/// Corrects the first part of `missing` that does not exist to the most similar existing name, and keeps the
/// rest if that path exists. Empty if no name is similar.
std::optional<std::string> similar_path(const fs::path& missing) {
  fs::path there;
  for (auto part = missing.begin(); part != missing.end(); ++part) {
    if (is_there(there / *part)) {
      there /= *part;
      continue;
    }
    const auto similar = nearest(part->string(), entries(there.empty() ? "." : there));
    if (!similar) return std::nullopt;
    fs::path corrected = there / *similar;
    for (auto rest = std::next(part); rest != missing.end(); ++rest) corrected /= *rest;
    return (is_there(corrected) ? corrected : there / *similar).string();
  }
  return std::nullopt;
}

/// The most similar of `names`, with the suffix if it was typed; if none is similar, the most similar
/// existing path.
std::optional<std::string> similar_name(const std::string& name, const std::vector<std::string>& names) {
  const bool has_suffix = name.ends_with(json_suffix);
  const std::string stem = has_suffix ? name.substr(0, name.size() - 5) : name;
  if (const auto similar = nearest(stem, names)) return has_suffix ? *similar + json_suffix : *similar;
  return similar_path(name);
}

[[noreturn]] void fail(const std::string& text, const std::string& problem,
                       const std::optional<std::string>& similar, const std::string& otherwise) {
  throw CommandError("{}: {}; {}", text, problem,
                     similar ? fmt::format("did you mean '{}'?", *similar) : otherwise);
}

fs::path config_file(const std::string& text) {
  if (is_file(text)) return text;
  if (is_bare(text)) {
    for (const fs::path& folder : config_folders()) {
      if (const auto found = find_by_name(folder, text)) return *found;
    }
  }
  if (is_there(text)) return text;
  const auto names = names_in(named_configs());
  if (is_bare(text))
    fail(text, "there is no such file, and no config of that name", similar_name(text, names),
         "'breakeven list' shows all configs");
  auto similar = similar_path(text);
  if (!similar) similar = nearest(fs::path(text).stem().string(), names);
  fail(text, "there is no such file", similar, "check the path; 'breakeven list' shows all configs");
}

fs::path result_file(const std::string& text) {
  if (text == "-" || is_file(text)) return text;
  const fs::path folder = results_folder();
  if (is_bare(text)) {
    if (const auto found = find_by_name(folder, text)) return *found;
  }
  if (is_there(text)) return text;
  if (!is_bare(text)) fail(text, "there is no such file", similar_path(text), "check the path");
  const auto configs = names_in(named_configs());
  const bool is_config = std::ranges::find(configs, text) != configs.end();
  fail(text, fmt::format("there is no such file, here or in {}", folder.string()),
       is_config ? std::nullopt : similar_name(text, named_results()),
       is_config ? fmt::format("'breakeven run {}' makes it", text) : "give the path of a result file");
}

fs::path output_file(const std::string& text) {
  const fs::path path(text);
  const bool is_output = path == "/dev/stdout" || path == "/dev/fd/1" || path == "/proc/self/fd/1";
  return is_output ? "-" : path;
}

CLI::Option* accept(CLI::Option* option, const char* word, fs::path (*find)(const std::string&)) {
  option->type_name(word);
  option->transform(CLI::Validator(
      [=](std::string& text) {
        text = find(text).string();
        return std::string();
      },
      ""));
  return option;
}

}  // namespace

std::vector<fs::path> config_folders() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path();
  std::vector<fs::path> folders;
  for (const fs::path& folder :
       {fs::path("configs"), program / "configs", program / data_from_program / "configs"}) {
    // The build folder contains a link to the source tree's configs.
    const fs::path shown = folder.is_absolute() ? fs::weakly_canonical(folder, error) : folder;
    if (fs::is_directory(shown, error)) folders.push_back(shown);
  }
  return folders;
}

std::vector<NamedConfig> named_configs() {
  std::vector<NamedConfig> found;
  for (const fs::path& folder : config_folders()) {
    for (const std::string& name : json_names(folder)) {
      if (std::ranges::find(found, name, &NamedConfig::name) == found.end())
        found.push_back({.name = name, .file = folder / (name + json_suffix)});
    }
  }
  std::ranges::sort(found, {}, &NamedConfig::name);
  return found;
}

fs::path results_folder() {
  return results_folder_of(describe_host(1).name);
}

std::vector<std::string> named_results() {
  return json_names(results_folder());
}

CLI::Option* accept_config_names(CLI::Option* option) {
  return accept(option, "CONFIG", config_file);
}

CLI::Option* accept_result_names(CLI::Option* option) {
  return accept(option, "RESULT", result_file);
}

void declare_result_files(CLI::App& command, std::vector<std::filesystem::path>& files,
                          const std::string& meaning) {
  accept_result_names(command.add_option("RESULT", files, meaning + "; - for standard input"))->required();
}

void check_one_standard_input(const std::vector<std::filesystem::path>& files) {
  if (std::ranges::count(files, "-") > 1)
    throw CommandError("- is given twice, and there is one standard input; name files");
}

CLI::Option* accept_output_file(CLI::Option* option) {
  return accept(option, "FILE", output_file);
}

}  // namespace breakeven
