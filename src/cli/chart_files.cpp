#include "cli/chart_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <optional>
#include <system_error>

#include "cli/subcommand.h"
#include "cli/text_file.h"
#include "plan/suggestion.h"
#include "reports/charts/svg.h"
#include "results/whole_file.h"

namespace breakeven {
namespace {

/// Runs `command`, found in PATH, with `input` on its standard input. Returns its exit status; empty if there
/// is no such command.
std::optional<int> run_with_input(std::vector<std::string> command, const std::string& input) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
  std::vector<char*> arguments(command.size() + 1, nullptr);
  std::transform(command.begin(), command.end(), arguments.begin(),
                 [](std::string& one) { return one.data(); });
  pid_t child = 0;
  const int error = posix_spawnp(&child, arguments.front(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[0]);
  std::signal(SIGPIPE, SIG_IGN);  // a program that stops reading says so by its status
  for (std::size_t written = 0; error == 0 && written < input.size();) {
    const ssize_t count = write(ends[1], input.data() + written, input.size() - written);
    if (count <= 0) break;
    written += static_cast<std::size_t>(count);
  }
  close(ends[1]);
  if (error != 0) return std::nullopt;
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

struct NamedFile {
  std::string name, file;
};

/// Parses "NAME=FILE". Throws CommandError if no file is named.
NamedFile parse_chart(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals + 1 == text.size())
    throw CommandError(exit_code::bad_input,
                       fmt::format("--chart {}: name the file too, as in --chart {}=chart.svg", text,
                                   text.substr(0, equals)));
  return {.name = text.substr(0, equals), .file = text.substr(equals + 1)};
}

/// Draws into a file beside it first, so that an existing file stays as it is if the picture cannot be drawn.
void write_png(const std::string& svg, const std::filesystem::path& file) {
  make_folder_of(file);
  const std::filesystem::path part = file.string() + ".part";
  const std::optional<int> status =
      run_with_input({"rsvg-convert", "--zoom", "2", "--output", part.string()}, svg);
  std::error_code error;
  if (status == 0) std::filesystem::rename(part, file, error);
  if (status == 0 && !error) return;
  std::filesystem::remove(part, error);
  throw CommandError(exit_code::bad_input,
                     status ? fmt::format("--chart: rsvg-convert could not draw {}", file.string())
                            : "--chart: PNG needs rsvg-convert, which is not installed; install it (Debian: "
                              "librsvg2-bin), or name a file that ends in .svg");
}

void write_chart_file(const Chart& chart, const std::string& path) {
  const std::string svg = svg_text(chart, {});
  if (path.ends_with(".png")) {
    write_png(svg, path);
  } else {
    write_text_file(path, svg);
  }
}

void draw_chart(const std::vector<Chart>& all, const NamedFile& asked) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Chart& chart) { return chart.name == asked.name; });
  if (found == all.end()) {
    std::vector<std::string> names(all.size());
    std::transform(all.begin(), all.end(), names.begin(), [](const Chart& chart) { return chart.name; });
    throw CommandError(
        exit_code::bad_input,
        fmt::format("--chart: there is no chart '{}' here{}; --list-charts shows those that there are",
                    asked.name, did_you_mean(asked.name, names)));
  }
  write_chart_file(*found, asked.file);
  report_saved_file(asked.file);
}

}  // namespace

void declare_chart_options(CLI::App& command, ChartOptions& options) {
  command.add_option("--chart", options.charts,
                     "NAME=FILE: draw this chart, as SVG, or as PNG where the file's name ends so (needs "
                     "rsvg-convert); may be "
                     "given several times");
  command.add_flag("--list-charts", options.list, "the names and titles of the charts that there are");
}

std::vector<OutputFile> chart_files(const ChartOptions& options) {
  std::vector<OutputFile> files(options.charts.size());
  std::transform(options.charts.begin(), options.charts.end(), files.begin(), [](const std::string& chart) {
    const NamedFile asked = parse_chart(chart);
    return OutputFile{.option = "--chart " + asked.name, .path = asked.file};
  });
  return files;
}

void show_charts(const std::vector<Chart>& all, const ChartOptions& options) {
  if (options.list) {
    for (const Chart& chart : all) fmt::print("{}  {}\n", chart.name, chart.title);
  }
  for (const std::string& chart : options.charts) draw_chart(all, parse_chart(chart));
}

}  // namespace breakeven
