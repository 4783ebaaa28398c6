// Reads files that programs wrote: with limits, and with errors that name the file.
#pragma once

#include <filesystem>
#include <future>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "json/text.h"
#include "results/result.h"

namespace breakeven {

/// Reads a whole file; "-" is standard input. Throws ResultError, which names the file, if it cannot be read
/// or is too large.
std::string read_result_text(const std::filesystem::path& path);

/// The same in parts.
TextParts read_result_parts(const std::filesystem::path& path);
/// Throws ResultError if read_result_text() would refuse a file of this text. Call it before the file is
/// written. `file` is its name, or an option; `remedy` ends the message.
void expect_readable(std::string_view text, const std::string& file, std::string_view remedy);

/// Throws ResultError with the message "FILE: WHAT", in one printable line.
[[noreturn]] void fail_reading(const std::string& file, std::string_view what);
inline constexpr std::string_view no_memory =
    "does not fit into memory beside what is there already; give fewer or smaller files at once";

/// Calls `read` and returns its result. A JsonError and exhausted memory become a ResultError that names
/// `file`.
template <typename Read>
auto naming_file(const std::string& file, const Read& read) {
  try {
    return read();
  } catch (const JsonError& e) {
    fail_reading(file, e.what());
  } catch (const std::bad_alloc&) {
    fail_reading(file, no_memory);
  }
}

/// Calls `use` with what `read` makes of each file, in order. Reads one file ahead, in a thread of its own.
template <typename Read, typename Use>
void read_ahead(std::span<const std::filesystem::path> files, const Read& read, const Use& use) {
  const auto start = [&](std::size_t i) { return std::async(read, files[i]); };
  if (files.empty()) return;
  auto reading = start(0);
  for (std::size_t i = 0; i < files.size(); ++i) {
    auto next = i + 1 < files.size() ? start(i + 1) : decltype(reading)();
    use(files[i], reading.get());
    reading = std::move(next);
  }
}

}  // namespace breakeven
