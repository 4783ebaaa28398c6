// A strict JSON parser with limits. Its errors name the place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "json/error.h"
#include "json/value.h"

namespace breakeven {

// Limits of a document that is read. What this program writes keeps them, too.

/// The largest file, in bytes. 10,000 cases with every sample are a tenth of it.
inline constexpr std::uintmax_t largest_document = std::uintmax_t{256} << 20U;
/// The largest number of values; parsing stops beyond. Result files have at least 8 bytes for each, and
/// need 1.5 GiB of memory at the largest size; a file of as many bytes of single digits would need 5 GiB.
inline constexpr std::size_t most_values = largest_document / 8;
/// The largest number of keys of one object, because the time to look up a key grows with them.
inline constexpr std::size_t most_members = 4096;

enum class RepeatedKey { refused, first_counts };

/// Receives the elements of a long list while the document is parsed, so that only one of them is in memory.
class ElementReceiver {
 public:
  virtual ~ElementReceiver() = default;
  /// True if the list under this key of the outermost object is to be received; it is then empty in the
  /// document. `before`: the document so far.
  virtual bool wants(const Json& before, const std::string& key) = 0;
  /// Called for each element, in order. The rest of the text may still turn out not to be JSON.
  virtual void receive(const Json& element) = 0;
};

/// Gives the text of a document part by part, each valid until the next; an empty part is the end.
using TextParts = std::function<std::string_view()>;
/// The text as one part. It must outlive the parts.
TextParts parts_of(std::string_view text);

/// Parses JSON. Throws JsonSyntaxError for text that is not JSON; throws JsonError if it is of another
/// format, which the message names, is nested too deeply, has a number that is too large for a double, more
/// than `most` values, too many keys in one object, or a key twice.
Json parse_strictly(const TextParts& text, RepeatedKey repeated, ElementReceiver* receiver = nullptr,
                    std::size_t most = most_values);
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
      : ParsedFile(parts_of(text), repeated) {}
  ParsedFile(const TextParts& text, RepeatedKey repeated, ElementReceiver* receiver = nullptr)
      : document_(new Json(parse_strictly(text, repeated, receiver))) {}
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
