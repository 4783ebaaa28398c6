#include "cli/text_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iostream>
#include <system_error>

#include "cli/messages.h"
#include "cli/named_files.h"
#include "cli/subcommand.h"
#include "results/rescue.h"
#include "results/whole_file.h"
#include "text/printable.h"

namespace breakeven {
namespace {

namespace fs = std::filesystem;

/// The file behind a standard stream if the path is "-", otherwise the path.
fs::path opened_path(const fs::path& path, const char* stream) {
  return path == "-" ? fs::path(stream) : path;
}

constexpr const char* standard_input = "/proc/self/fd/0";
constexpr const char* standard_output = "/proc/self/fd/1";

/// True if two paths lead to the same file, whether or not it exists yet. Different paths to one device do
/// not count as the same file.
bool same_file(const fs::path& a, const fs::path& b) {
  if (a == b) return true;
  std::error_code error;
  if (fs::is_regular_file(a, error) || fs::is_regular_file(b, error)) return fs::equivalent(a, b, error);
  if (fs::exists(a, error) || fs::exists(b, error)) return false;
  const auto resolved = [&](const fs::path& path) {
    return fs::weakly_canonical(fs::absolute(link_target(path), error), error);
  };
  return resolved(a) == resolved(b);
}

/// True for the files, by whatever path or link, in which a runner of GitHub, Gitea or Forgejo collects what
/// all commands of a step write.
bool is_collected(const fs::path& path) {
  return std::ranges::any_of(std::array{"GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT", "GITHUB_ENV", "GITHUB_PATH"},
                             [&](const char* name) {
                               const char* file = std::getenv(name);
                               return file != nullptr && *file != '\0' && same_file(path, file);
                             });
}

void check_output_file(const OutputFile& output, const std::vector<fs::path>& inputs) {
  std::error_code error;
  refuse_inputs(output, inputs);
  if (output.path == "-" && is_output_closed())
    throw CommandError("{} -: standard output is closed; name a file", output.option);
  if (output.path == "-") return;
  if (fs::is_directory(output.path, error))
    throw CommandError("{} {}: is a folder; name a file in it", output.option, output.path);
  try {
    expect_writable(output.path);
  } catch (const std::system_error& e) {
    throw CommandError("{} {}: cannot be written: {}; name another file", output.option, output.path,
                       e.code().message());
  }
}

bool holds(const std::string& path, const std::string& text) {
  try {
    return !path.empty() && path != "-" && !is_special_file(path) &&
           read_whole_file(path, text.size()) == text;
  } catch (const std::exception&) {
    return false;
  }
}

void print_to_the_end(const std::function<void()>& write) {
  write();
  if (!std::cout.flush()) throw CommandError("standard output: cannot be written to; name a file with --out");
}

}  // namespace

void write_or_rescue(const std::string& target, const std::string& text, const std::function<void()>& write) {
  try {
    print_to_the_end(write);
  } catch (const std::exception& e) {
    const bool is_saved = holds(target, text);
    throw CommandError(
        "{}; {}", e.what(),
        describe_rescue(is_saved ? target
                                 : save_rescue(target.empty() ? "-" : target, results_folder(), text)));
  }
}

void refuse_inputs(const OutputFile& output, const std::vector<fs::path>& inputs) {
  std::error_code error;
  const fs::path written = opened_path(output.path, standard_output);
  for (const fs::path& input : inputs) {
    const fs::path read = opened_path(input, standard_input);
    if (fs::is_regular_file(read, error) && same_file(written, read))
      throw CommandError("{} {}: is an input of this command; give another file so that it is not replaced",
                         output.option, output.path);
  }
}

void write_text_file(const std::string& path, const std::string& text) {
  if (path == "-") {
    std::cout << text;
    return;
  }
  try {
    is_collected(path) ? append_to_file(path, text) : write_whole_file(path, text);
  } catch (const std::system_error& e) {
    throw CommandError("{}: cannot be written: {}; make room or name another file", path, e.code().message());
  }
}

void report_saved_file(const std::string& path, const std::string& shown_by) {
  std::error_code error;
  if (path == "-" || !fs::is_regular_file(path, error)) return;
  constexpr std::size_t longest = 400;  // length of a command that a message does not cut
  const bool can_show = !shown_by.empty() && shown_by.size() < longest && printable(shown_by) == shown_by;
  tell_plain(fmt::format("Saved: {}{}{}", path, can_show ? "   See it: " : "", can_show ? shown_by : ""));
}

void check_output_files(const std::vector<OutputFile>& outputs, const std::vector<fs::path>& inputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    check_output_file(outputs[i], inputs);
    for (std::size_t j = 0; j < i; ++j) {
      if (same_file(opened_path(outputs[i].path, standard_output),
                    opened_path(outputs[j].path, standard_output)))
        throw CommandError("{} and {} would both write to {}; give each a file of its own", outputs[j].option,
                           outputs[i].option, outputs[i].path == "-" ? "standard output" : outputs[i].path);
    }
  }
}

void WorkingFile::save(const std::function<std::string()>& text) {
  constexpr std::chrono::seconds pause{5};
  const auto now = std::chrono::steady_clock::now();
  if (path_.empty() || path_ == "-") return;
  if (is_special_file(path_)) return;
  if (last_ && now - *last_ < pause) return;
  last_ = now;
  try {
    write_whole_file(path_, text());
  } catch (const std::exception&) {
    // The file stays unchanged. The final write reports why it fails.
  }
}

}  // namespace breakeven
