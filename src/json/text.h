// The strict parser: bounded, and with errors that say where.
#pragma once

#include <cstddef>
#include <string>

#include "json/error.h"
#include "json/value.h"

namespace breakeven {

/// Documents of more values are refused while they are parsed. A result file of the largest size has fewer,
/// and takes 1.5 GiB of memory; one of single digits would take five.
inline constexpr std::size_t most_values = 16'000'000;

enum class RepeatedKey { refused, first_counts };

/// Throws JsonError for text that is not JSON (a JsonSyntaxError), is nested too deeply, has a number that no
/// double holds, too many values, too many keys in one object, or one of them twice.
Json parse_strictly(const std::string& text, RepeatedKey repeated = RepeatedKey::refused);

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

  const Json& document() const { return document_; }

 private:
  Json document_;
};

/// Text that is always valid: a library's message may hold bytes that are not UTF-8.
std::string text_of(const Json& json);

}  // namespace breakeven
