#include "cli/chart_files.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>

#include "cli/messages.h"
#include "cli/subcommand.h"
#include "cli/text_file.h"
#include "plan/suggestion.h"
#include "reports/charts/svg.h"

namespace breakeven {
namespace {

/// A file in memory. It leaves no file behind, and holds any amount of data without a reader.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view text) : descriptor_(memfd_create("breakeven", MFD_CLOEXEC)) {
    while (!text.empty()) {
      const ssize_t count = write(descriptor_, text.data(), text.size());
      if (count <= 0) fail();
      text.remove_prefix(static_cast<std::size_t>(count));
    }
    if (lseek(descriptor_, 0, SEEK_SET) < 0) fail();
  }
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  MemoryFile(MemoryFile&&) = delete;
  MemoryFile& operator=(MemoryFile&&) = delete;

  int descriptor() const { return descriptor_; }
  /// The content of the file.
  std::string text() const {
    std::string all(static_cast<std::size_t>(std::max<off_t>(0, lseek(descriptor_, 0, SEEK_END))), '\0');
    const ssize_t count = pread(descriptor_, all.data(), all.size(), 0);
    all.resize(static_cast<std::size_t>(std::max<ssize_t>(0, count)));
    return all;
  }

 private:
  [[noreturn]] static void fail() {
    throw CommandError(
        "--chart: there is no room in memory for a picture: {}; close other "
        "programs, or name a file that ends in .svg",
        std::strerror(errno));
  }
  int descriptor_;
};

struct Filtered {
  int status = -1;  // the exit status; negative if a signal ended it
  std::string text;
};

/// Runs `command`, found in PATH, with `input` and returns its output. Empty if there is no such command.
std::optional<Filtered> filter(std::vector<std::string> command, const std::string& input) {
  const MemoryFile from(input), to("");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, from.descriptor(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, to.descriptor(), STDOUT_FILENO);
  std::vector<char*> arguments(command.size() + 1, nullptr);
  std::ranges::transform(command, arguments.begin(), [](std::string& one) { return one.data(); });
  pid_t child = 0;
  const int error = posix_spawnp(&child, arguments.front(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return std::nullopt;
  int status = 0;
  const bool ended = waitpid(child, &status, 0) == child && WIFEXITED(status);
  return Filtered{.status = ended ? WEXITSTATUS(status) : -1, .text = to.text()};
}

struct NamedFile {
  std::string name, file;
};

/// Parses "NAME=FILE". Throws CommandError if no file is named.
NamedFile parse_chart(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals + 1 == text.size())
    throw CommandError("--chart {}: name the file too, as in --chart {}=chart.svg", text,
                       text.substr(0, equals));
  return {.name = text.substr(0, equals), .file = text.substr(equals + 1)};
}

std::string png_text(const std::string& svg) {
  const std::optional<Filtered> drawn = filter({"rsvg-convert", "--zoom", "2"}, svg);
  if (!drawn)
    throw CommandError(
        "--chart: PNG needs rsvg-convert, which is not installed; install it (Debian: "
        "librsvg2-bin), or name a file that ends in .svg");
  if (drawn->status != 0 || drawn->text.empty())
    throw CommandError("--chart: rsvg-convert could not draw the picture; name a file that ends in .svg");
  return drawn->text;
}

void draw_chart(const std::vector<Chart>& all, const NamedFile& asked) {
  const auto found = std::ranges::find(all, asked.name, &Chart::name);
  if (found == all.end()) {
    throw CommandError("--chart: there is no chart '{}' here{}; --list-charts shows those that there are",
                       asked.name, did_you_mean(asked.name, names_in(all)));
  }
  const std::string svg = svg_text(*found, {});
  write_text_file(asked.file, asked.file.ends_with(".png") ? png_text(svg) : svg);
  report_saved_file(asked.file);
}

}  // namespace

void declare_chart_options(CLI::App& command, ChartOptions& options) {
  take_one_word(
      command.add_option("--chart", options.charts,
                         "NAME=FILE: draw this chart, as SVG, or as PNG where the file's name ends so (needs "
                         "rsvg-convert); may be given several times"));
  command.add_flag("--list-charts", options.list, "the names and titles of the charts that there are");
}

std::vector<OutputFile> chart_files(const ChartOptions& options) {
  std::vector<OutputFile> files(options.charts.size());
  std::ranges::transform(options.charts, files.begin(), [](const std::string& chart) {
    const NamedFile asked = parse_chart(chart);
    return OutputFile{.option = "--chart " + asked.name, .path = asked.file};
  });
  return files;
}

void show_charts(const std::vector<Chart>& all, const ChartOptions& options) {
  if (options.list) {
    for (const Chart& chart : all) print(fmt::format("{}  {}\n", chart.name, chart.title));
  }
  for (const std::string& chart : options.charts) draw_chart(all, parse_chart(chart));
}

}  // namespace breakeven
