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

namespace breakeven {
namespace {

/// The status that `command`, looked for in PATH, ends with when it has read `input`; nothing where it is not
/// there.
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

/// Each of "NAME=FILE".
void draw_charts(const std::vector<Chart>& all, const std::vector<std::string>& asked) {
  std::vector<std::string> names(all.size());
  std::transform(all.begin(), all.end(), names.begin(), [](const Chart& chart) { return chart.name; });
  for (const std::string& one : asked) {
    const std::size_t equals = one.find('=');
    if (equals == std::string::npos || equals + 1 == one.size())
      throw CommandError(exit_code::bad_input,
                         fmt::format("--chart {}: name the file too, as in --chart {}=chart.svg", one,
                                     one.substr(0, equals)));
    const std::string name = one.substr(0, equals);
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const Chart& chart) { return chart.name == name; });
    if (found == all.end())
      throw CommandError(
          exit_code::bad_input,
          fmt::format("--chart: there is no chart '{}' here{}; --list-charts shows those that there are",
                      name, did_you_mean(name, names)));
    write_chart_file(*found, one.substr(equals + 1));
  }
}

}  // namespace

void write_chart_file(const Chart& chart, const std::string& path) {
  check_output_files({{"--chart", path}});
  const std::string svg = svg_text(chart, {});
  if (!path.ends_with(".png")) {
    write_text_file(path, svg);
    return;
  }
  const std::optional<int> status = run_with_input({"rsvg-convert", "--zoom", "2", "--output", path}, svg);
  if (status == 0) return;
  std::error_code ignored;
  if (std::filesystem::file_size(path, ignored) == 0) std::filesystem::remove(path, ignored);
  throw CommandError(exit_code::bad_input,
                     status ? fmt::format("--chart: rsvg-convert could not draw {} into {}", chart.name, path)
                            : "--chart: PNG needs rsvg-convert, which is not installed; install it (Debian: "
                              "librsvg2-bin), or name a file that ends in .svg");
}

void declare_chart_options(CLI::App& command, ChartOptions& options) {
  command.add_option("--chart", options.charts,
                     "NAME=FILE: draw this chart, as SVG, or as PNG where the file's name ends so (needs "
                     "rsvg-convert); may be "
                     "given several times");
  command.add_flag("--list-charts", options.list, "the names and titles of the charts that there are");
}

void show_charts(const std::vector<Chart>& all, const ChartOptions& options) {
  if (options.list) {
    for (const Chart& chart : all) fmt::print("{}  {}\n", chart.name, chart.title);
  }
  draw_charts(all, options.charts);
}

}  // namespace breakeven
