#include "cli/text_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>

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

}  // namespace breakeven
