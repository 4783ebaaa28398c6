// A strict JSON parser with limits. Its errors name the place.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "json/error.h"
#include "json/value.h"

namespace breakeven {

/// The largest number of values in a document; parsing stops beyond. Result files of the largest size have
/// fewer, and need 1.5 GiB of memory; a file of as many bytes of single digits would need 5 GiB.
inline constexpr std::size_t most_values = 16'000'000;

enum class RepeatedKey { refused, first_counts };

/// Parses JSON. Throws JsonSyntaxError for text that is not JSON; throws JsonError if it is of another
/// format, which the message names, is nested too deeply, has a number that is too large for a double, more
/// than `most` values, too many keys in one object, or a key twice.
Json parse_strictly(const std::string& text, RepeatedKey repeated = RepeatedKey::refused,
                    std::size_t most = most_values);

/// Frees a document's values without allocating memory, unlike nlohmann_json's destructor: if memory is
/// exhausted, that would end the program without a message.
struct FreeDocument {
  void operator()(Json* document) const;
};
using OwnedDocument = std::unique_ptr<Json, FreeDocument>;

/// A parsed file, freed in this way.
class ParsedFile {
 public:
  explicit ParsedFile(const std::string& text, RepeatedKey repeated = RepeatedKey::refused)
      : document_(new Json(parse_strictly(text, repeated))) {}
  const Json& document() const { return *document_; }

 private:
  OwnedDocument document_;
};

/// Formats JSON as valid UTF-8: a library's message or a file's name may contain bytes that are not. In one
/// line, or in many with this indentation.
std::string text_of(const Json& json, int indentation = -1);

/// Returns nlohmann_json's error message without its own prefixes: "line 3, column 5: invalid literal; last
/// read: 'nul'". Long quotations of the text are shortened.
std::string json_error_text(std::string_view message);

}  // namespace breakeven
