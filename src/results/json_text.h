// The JSON of files that a program wrote: strict, bounded, and with errors that say where.
#pragma once

#include <cstdint>
#include <filesystem>
#include <new>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "results/result.h"

namespace breakeven {

/// Larger files are refused before they are read: 10,000 cases with every sample are a tenth of it.
inline constexpr std::uintmax_t largest_result_file = std::uintmax_t{256} << 20U;
/// Documents of more values are refused while they are parsed. A file of that size that holds results has
/// fewer, and takes 1.5 GiB of memory; one of single digits would take five.
inline constexpr std::size_t most_values = 16'000'000;

/// All of a file; "-" is standard input. Throws ResultError, which names the file, where it cannot be read or
/// is too large.
std::string read_result_text(const std::filesystem::path& path);

/// Throws a ResultError: "FILE: WHAT", in one printable line.
[[noreturn]] void fail_reading(const std::string& file, std::string_view what);
inline constexpr std::string_view no_memory =
    "does not fit into memory beside what is there already; give fewer or smaller files at once";

enum class RepeatedKey { refused, first_counts };

/// Throws ResultError, which names the place but not the file, for text that is not JSON, is nested too
/// deeply, has a number that no double holds, too many values, too many keys in one object, or one of them
/// twice.
nlohmann::ordered_json parse_strictly(const std::string& text, RepeatedKey repeated = RepeatedKey::refused);

/// A parsed file. Frees its values without asking for memory, as nlohmann_json's own destructor does: where
/// memory has ended, that would end the program without a message.
class ParsedFile {
 public:
  explicit ParsedFile(const std::string& text, RepeatedKey repeated = RepeatedKey::refused);
  ~ParsedFile();
  ParsedFile(const ParsedFile&) = delete;
  ParsedFile& operator=(const ParsedFile&) = delete;
  ParsedFile(ParsedFile&&) = delete;
  ParsedFile& operator=(ParsedFile&&) = delete;

  const nlohmann::ordered_json& document() const { return document_; }

 private:
  nlohmann::ordered_json document_;
};

/// What `read` returns. A ResultError of it, and the end of memory, become a ResultError that names `file`.
template <typename Read>
auto naming_file(const std::string& file, const Read& read) {
  try {
    return read();
  } catch (const ResultError& e) {
    fail_reading(file, e.what());
  } catch (const std::bad_alloc&) {
    fail_reading(file, no_memory);
  }
}

}  // namespace breakeven
