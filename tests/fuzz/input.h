// Makes a fuzzer's input a file, and checks the outcome of reading it.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "unit/messages.h"
#include "unit/temporary_folder.h"
#include "unit/well_formed.h"

namespace breakeven::fuzz {

inline std::string text_of_input(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Writes this text to a file of this process. It is removed and made again for the next input, because some
/// file systems write a file that is only emptied to the disk at once.
inline std::filesystem::path file_of(const std::string& name, std::string_view text) {
  static const TemporaryFolder folder;
  std::filesystem::path path = folder.path() / name;
  std::filesystem::remove(path);
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

/// Returns what `read` returns; empty if it throws the documented exception, with a message that is fit for a
/// user. Any other exception ends the program: it is an error found.
template <typename Documented, typename Read>
auto read_or_refuse(const Read& read) -> std::optional<decltype(read())> {
  try {
    return read();
  } catch (const Documented& e) {
    if (const std::string fault = fault_of_message(e.what()); !fault.empty())
      throw std::logic_error(fmt::format("a message {}: {}", fault, e.what()));
  }
  return std::nullopt;
}

/// Writes the report in every form. Whatever it contains, each form must be well-formed.
inline void expect_well_formed(const Subject& subject) {
  if (const std::string fault = well_formed::fault_of_any_form(subject); !fault.empty())
    throw std::logic_error(fault);
}

}  // namespace breakeven::fuzz
