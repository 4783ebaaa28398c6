#include "session/launcher.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <boost/algorithm/string/replace.hpp>
#include <boost/tokenizer.hpp>
#include <cstdio>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace breakeven {
namespace {

constexpr std::string_view say_how =
    "say how ranks are started with --launcher, such as --launcher 'srun -n {ranks}'";

/// The output of a command; empty if it cannot be started.
std::string output_of(const char* command) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen(command, "r"), pclose);
  std::string text;
  for (int c = 0; pipe && (c = std::fgetc(pipe.get())) != EOF;) text += static_cast<char>(c);
  return text;
}

bool is_line_of_dashes(const std::string& line) {
  return line.size() > 20 && line.find_first_not_of('-') == std::string::npos;
}

/// The first paragraph after each line of dashes, on one line. Such lines enclose mpirun's messages.
std::vector<std::string> beginnings_of_messages(const std::string& error_output) {
  std::vector<std::string> all;
  std::istringstream lines(error_output);
  std::string line, paragraph;
  bool in_beginning = false;
  while (std::getline(lines, line)) {
    const bool is_line = is_line_of_dashes(line);
    if (is_line || line.find_first_not_of(' ') == std::string::npos) {
      if (!paragraph.empty()) all.push_back(std::exchange(paragraph, ""));
      in_beginning = is_line;
    } else if (in_beginning) {
      paragraph += (paragraph.empty() ? "" : " ") + line;
    }
  }
  if (!paragraph.empty()) all.push_back(std::move(paragraph));  // the output was cut
  return all;
}

}  // namespace

std::vector<std::string> launch_words(const std::string& launcher, int ranks) {
  const std::string text = boost::algorithm::replace_all_copy(launcher, "{ranks}", fmt::format("{}", ranks));
  if (text == launcher)
    throw std::runtime_error(fmt::format(
        "the launcher is '{}' and must contain {{ranks}}, such as 'srun -n {{ranks}}'", launcher));
  const boost::tokenizer<boost::escaped_list_separator<char>> split(
      text, boost::escaped_list_separator<char>("\\", " \t", "'\""));
  std::vector<std::string> words(split.begin(), split.end());
  std::erase(words, "");
  return words;
}

std::string launcher_for(const std::string& version_text) {
  if (version_text.find("Open MPI") != std::string::npos || version_text.find("OpenRTE") != std::string::npos)
    return "mpirun -np {ranks} --bind-to none";
  if (version_text.find("HYDRA") != std::string::npos) return "mpirun -np {ranks} -bind-to none";
  if (version_text.empty())
    throw std::runtime_error(fmt::format(
        "no mpirun is found, which starts ranks; install it (Debian: openmpi-bin), or {}", say_how));
  throw std::runtime_error(fmt::format("mpirun --version says '{}', which is neither Open MPI nor MPICH; {}",
                                       version_text.substr(0, version_text.find('\n')), say_how));
}

std::vector<std::string> launch_command(const std::string& launcher, int ranks) {
  if (!launcher.empty()) return launch_words(launcher, ranks);
  static const std::string of_this_machine = launcher_for(output_of("mpirun --version 2>/dev/null"));
  return launch_words(of_this_machine, ranks);
}

std::string reason_of_ranks(const std::string& output) {
  // mpirun's own message on a failed ssh names no host.
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("ssh: ") || line.starts_with("breakeven: ")) return line;
  }
  const std::vector<std::string> all = beginnings_of_messages(output);
  // mpirun first says that the job has ended, and names the rank in a later message.
  static const RE2 names_rank(R"(\brank \d)");
  const auto found =
      std::ranges::find_if(all, [](const std::string& one) { return RE2::PartialMatch(one, names_rank); });
  if (found != all.end()) return *found;
  return all.empty() ? "" : all.front();
}

}  // namespace breakeven
