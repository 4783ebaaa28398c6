#include "cli/text_file.h"

#include <fmt/format.h>

#include <cstdio>
#include <iostream>
#include <system_error>

#include "cli/subcommand.h"
#include "reports/text.h"
#include "results/whole_file.h"

namespace breakeven {
namespace {

namespace fs = std::filesystem;

/// True if two paths lead to the same file, whether or not it exists yet. Different paths to one device do
/// not count as the same file.
bool same_file(const fs::path& a, const fs::path& b) {
  if (a == b) return true;
  std::error_code error;
  if (a == "-" || b == "-") return false;
  if (fs::is_regular_file(a, error) || fs::is_regular_file(b, error)) return fs::equivalent(a, b, error);
  if (fs::exists(a, error) || fs::exists(b, error)) return false;
  const auto resolved = [&](const fs::path& path) {
    return fs::weakly_canonical(fs::absolute(link_target(path)), error);
  };
  return resolved(a) == resolved(b);
}

void check_output_file(const OutputFile& output, const std::vector<fs::path>& inputs) {
  std::error_code error;
  if (output.path.empty())
    throw CommandError(exit_code::bad_input,
                       fmt::format("{}: names no file; give one, or - for standard output", output.option));
  if (output.path == "-") return;
  if (fs::is_directory(output.path, error))
    throw CommandError(exit_code::bad_input,
                       fmt::format("{} {}: is a folder; name a file in it", output.option, output.path));
  for (const fs::path& input : inputs) {
    if (input != "-" && fs::is_regular_file(input, error) && same_file(output.path, input))
      throw CommandError(
          exit_code::bad_input,
          fmt::format("{} {}: is an input of this command; give another file so that it is not replaced",
                      output.option, output.path));
  }
  try {
    expect_writable(output.path);
  } catch (const std::system_error& e) {
    throw CommandError(exit_code::bad_input, fmt::format("{} {}: cannot be written: {}; name another file",
                                                         output.option, output.path, e.code().message()));
  }
}

}  // namespace

void write_text_file(const std::string& path, const std::string& text) {
  if (path == "-") {
    std::cout << text;
    return;
  }
  try {
    write_whole_file(path, text);
  } catch (const std::system_error& e) {
    throw CommandError(exit_code::bad_input,
                       fmt::format("{}: cannot be written: {}", path, e.code().message()));
  }
}

void report_saved_file(const std::string& path, const std::string& shown_by) {
  std::error_code error;
  if (path == "-" || !fs::is_regular_file(path, error)) return;
  const bool can_show = !shown_by.empty() && printable(shown_by) == shown_by;
  std::cout.flush();  // so that the line is the last where both go to one place
  std::fflush(stdout);
  std::fputs(
      fmt::format("Saved: {}{}{}\n", printable(path), can_show ? "   See it: " : "", can_show ? shown_by : "")
          .c_str(),
      stderr);
}

void check_output_files(const std::vector<OutputFile>& outputs, const std::vector<fs::path>& inputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    check_output_file(outputs[i], inputs);
    for (std::size_t j = 0; j < i; ++j) {
      if (same_file(outputs[i].path, outputs[j].path))
        throw CommandError(
            exit_code::bad_input,
            fmt::format("{} and {} would both write to {}; give each a file of its own", outputs[j].option,
                        outputs[i].option, outputs[i].path == "-" ? "standard output" : outputs[i].path));
    }
  }
}

void WorkingFile::save(const std::function<std::string()>& text) {
  constexpr std::chrono::seconds pause{5};
  const auto now = std::chrono::steady_clock::now();
  std::error_code error;
  if (path_.empty() || path_ == "-") return;
  if (fs::exists(path_, error) && !fs::is_regular_file(path_, error)) return;
  if (last_ && now - *last_ < pause) return;
  last_ = now;
  try {
    write_whole_file(path_, text());
  } catch (const std::exception&) {
    // The file stays as it was; whoever writes it in the end says why that fails.
  }
}

}  // namespace breakeven
