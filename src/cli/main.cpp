#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <span>

#include "cli/completion.h"
#include "cli/help.h"
#include "cli/messages.h"
#include "cli/option_text.h"
#include "cli/progress_line.h"
#include "cli/subcommand.h"
#include "cli/usage_error.h"
#include "cli/version_text.h"
#include "json/text.h"
#include "session/worker_process.h"

namespace breakeven {
namespace {

std::vector<SubcommandEntry>& subcommands() {
  static std::vector<SubcommandEntry> all;
  return all;
}

/// Flushes standard output. If that fails, the exit status is an error, whatever was decided. An interrupted
/// command keeps its status: the reader may have gone, and the measurements are saved.
int finish_output(int status) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.flush()) return status;
  if (status == exit_code::interrupted) return status;
  tell("standard output: cannot be written to; check that it is open, and the space of its disk");
  return exit_code::bad_input;
}

std::size_t help_width() {
  constexpr int narrowest = 60;
  constexpr int widest = 100;
  constexpr int usual = 80;
  const bool terminal = isatty(STDOUT_FILENO) == 1;
  return static_cast<std::size_t>(
      std::clamp(terminal ? terminal_width(STDOUT_FILENO) : usual, narrowest, widest));
}

/// Refuses an empty value of an option or positional: a script's variable was not set. Other checks follow.
void refuse_empty_value(CLI::Option& option) {
  option.transform(CLI::Validator(
      [&option](std::string& text) -> std::string {
        if (text.empty())
          throw CommandError("{}: is empty; give a value{}", option_names(option),
                             option.get_required() ? "" : ", or leave it out");
        return "";
      },
      ""));
}

/// The same for all options of the command and of its subcommands.
void refuse_empty_values(CLI::App& command) {
  for (CLI::Option* option : command.get_options()) {
    if (takes_value(*option)) refuse_empty_value(*option);
  }
  for (CLI::App* inner : command.get_subcommands([](CLI::App*) { return true; })) refuse_empty_values(*inner);
}

/// Refuses "--option=", and a list without any name, such as ",": the parser would take the next word as the
/// value.
void refuse_values_without_text(std::span<char*> words) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string_view word = words[i];
    const auto equals = word.starts_with("--") ? word.find('=') : std::string_view::npos;
    const bool is_joined = equals != std::string_view::npos;
    const std::string_view value = is_joined ? word.substr(equals + 1) : word;
    if (is_joined && value.empty())
      throw CommandError("{}: is empty; give a value, or leave it out", word.substr(0, equals));
    if (!value.empty() && value.find_first_not_of(',') == std::string_view::npos)
      throw CommandError("{} {}: names nothing; give names, as in a,b",
                         is_joined ? word.substr(0, equals) : words[i - 1], value);
  }
}

/// Declares every subcommand. `chosen` becomes the function of the one on the command line.
void declare(CLI::App& app, std::function<int()>& chosen) {
  app.formatter(std::make_shared<HelpFormatter>(help_width()));
  app.set_help_flag("-h,--help", "show this help");
  app.set_version_flag("-V,--version", version_text, "show the version, the commit and the build");
  app.require_subcommand(1);
  declare_statuses(app, {{exit_code::wrong_or_regressed, "something is slower, or a result is wrong"},
                         {exit_code::inconclusive, "inconclusive"},
                         {exit_code::incomplete, "not comparable, or cases missing or failed"},
                         {exit_code::interrupted, interrupted_and_saved}});
  for (const auto& entry : subcommands()) {
    CLI::App* command = app.add_subcommand(entry.name, entry.meaning);
    declare_statuses(*command, {});
    auto work = entry.add(*command);
    command->callback([&chosen, work] { chosen = work; });
  }
  refuse_empty_values(app);
}

/// Opens closed standard streams as /dev/null in the wrong direction: reading or writing them still fails,
/// and no file that is opened later gets their descriptors and with them the text for the terminal.
void open_missing_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) >= 0 || errno != EBADF) continue;
    // open() returns the lowest free descriptor, which is this one, because those below it are open by now.
    open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

/// Makes writing beyond the largest size of a file (`ulimit -f`) an ordinary error instead of the end of the
/// process, by a handler for SIGXFSZ. Unlike SIG_IGN, started programs do not inherit it.
void fail_beyond_largest_file() {
  struct sigaction action {};
  action.sa_handler = [](int) {};
  action.sa_flags = SA_RESTART;
  sigaction(SIGXFSZ, &action, nullptr);
}

/// Reserves memory for the moment when it is exhausted. The first failing allocation gets a part, because it
/// may be made where nothing may be thrown: nlohmann_json allocates in destructors. The next one throws, and
/// the rest serves the destructors and handlers during unwinding.
void keep_memory_back() {
  constexpr std::size_t size = std::size_t{2} << 20U;
  static std::array<std::atomic<void*>, 2> reserve{};
  for (auto& part : reserve) part = std::malloc(size);
  std::set_new_handler([] {
    if (void* const part = reserve[0].exchange(nullptr)) return std::free(part);
    std::free(reserve[1].exchange(nullptr));
    throw std::bad_alloc();
  });
}

int run_program(int argc, char** argv) {
  CLI::App app("Where does a GPU pay off for deep-learning work, and by how much?", "breakeven");
  std::function<int()> chosen;
  declare(app, chosen);
  const std::span<char*> words(argv, static_cast<std::size_t>(argc));
  if (words.size() <= 1) {
    tell_plain(help_of(app));
    return exit_code::bad_input;
  }
  if (words[1] == std::string_view(complete_command)) {
    std::cout << completions_text(app, {words.begin() + 2, words.end()});
    return finish_output(exit_code::good);
  }
  try {
    refuse_values_without_text(words);
    app.parse(argc, argv);
    return finish_output(chosen());
  } catch (const CLI::Success& e) {  // help or the version
    return finish_output(app.exit(e));
  } catch (const CLI::ParseError& e) {
    tell_plain(usage_error(app, e));
  } catch (const CommandError& e) {
    if (!chosen) {  // a name on the command line has no file; it may belong to a mistyped option
      if (const auto unknown = find_unknown_word(app)) {
        tell_plain(*unknown);
        return exit_code::bad_input;
      }
    }
    tell(e.what());
    return e.status();
  } catch (const Interrupted& e) {
    tell(e.what());
    return exit_code::interrupted;
  } catch (const std::bad_alloc&) {
    tell("memory ended; give fewer or smaller files, or a higher limit (`ulimit -v`)");
  } catch (const nlohmann::json::exception& e) {
    tell(fmt::format("a value is not of the kind that is needed: {}; check the files that were given",
                     json_error_text(e.what())));
  } catch (const std::filesystem::filesystem_error& e) {
    tell(fmt::format("{}: cannot be used: {}; check the path and its permissions", e.path1().string(),
                     e.code().message()));
  } catch (const std::exception& e) {  // the error of a config or result file already names its place
    tell(e.what());
  }
  return exit_code::bad_input;
}

}  // namespace

SubcommandRegistration::SubcommandRegistration(SubcommandEntry entry) {
  auto& all = subcommands();
  const auto behind = std::ranges::upper_bound(all, entry.name, {}, &SubcommandEntry::name);
  all.insert(behind, std::move(entry));
}

}  // namespace breakeven

int main(int argc, char** argv) {
  breakeven::open_missing_streams();  // before anything is opened
  breakeven::fail_beyond_largest_file();
  breakeven::keep_memory_back();
  try {
    return breakeven::run_program(argc, argv);
  } catch (const std::exception&) {  // before the command line was parsed, or while an error was reported
    breakeven::tell("memory ended before anything was done; give it more (`ulimit -v`)");
  }
  return breakeven::exit_code::bad_input;
}
