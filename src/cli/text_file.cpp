#include "cli/text_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>

#include "cli/subcommand.h"

namespace breakeven {

void write_text_file(const std::string& path, const std::string& text) {
  if (path == "-") {
    std::cout << text;
    return;
  }
  errno = 0;
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (!out) {
    throw CommandError(exit_code::bad_input, fmt::format("{}: cannot be written: {}", path,
                                                         errno != 0 ? std::strerror(errno) : "output error"));
  }
}

void check_output_files(const std::vector<std::pair<std::string, std::string>>& options) {
  std::map<std::string, std::string> taken;
  for (const auto& [option, path] : options) {
    if (path.empty()) continue;
    const auto [other, fresh] = taken.emplace(path, option);
    if (!fresh) {
      throw CommandError(
          exit_code::bad_input,
          fmt::format("{} {}: {} is written there already; give another file", option, path, other->second));
    }
    if (path != "-" && !std::ofstream(path, std::ios::app)) {
      throw CommandError(exit_code::bad_input,
                         fmt::format("{} {}: cannot be written: {}", option, path, std::strerror(errno)));
    }
  }
}

void WorkingFile::save(const std::function<std::string()>& text) {
  constexpr std::chrono::seconds pause{5};
  const auto now = std::chrono::steady_clock::now();
  std::error_code error;
  if (path_.empty() || !std::filesystem::is_regular_file(path_, error)) return;
  if (last_ && now - *last_ < pause) return;
  last_ = now;
  try {
    write_text_file(path_ + ".part", text());
    std::filesystem::rename(path_ + ".part", path_, error);
  } catch (const std::exception&) {
    std::filesystem::remove(path_ + ".part", error);
  }
}

}  // namespace breakeven
