// Reading a JSON file that a person wrote: strict, bounded, and with errors that say where.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "json/place.h"
#include "json/value.h"
#include "results/file_kind.h"

namespace breakeven {

struct JsonFile {
  std::string text;  // as read, without a byte order mark
  Json document;
};

/// Files beyond this are refused before they are read: no config is so large, a result or a data set may be.
inline constexpr std::uintmax_t largest_json_file = std::uintmax_t{16} << 20U;

/// Throws ConfigError for a file that cannot be read, is empty, too large, not UTF-8 or not JSON, or in which
/// an object has a key twice. A UTF-8 byte order mark is accepted.
JsonFile read_json(const std::filesystem::path& path);

/// The same. Also throws ConfigError, which says what the file is, for one of another kind than `wanted`.
JsonFile read_json(const std::filesystem::path& path, FileKind wanted);

/// `value` as JSON, cut to a length that fits in a message.
std::string shown(const Json& value);

/// Fails where `object` is none, or has a key that is not among `known`.
void require_object(const Json& object, const Place& place, const std::vector<std::string>& known);

/// The string at `object[key]`, which must be there and not be empty.
std::string require_text(const Json& object, const Place& place, const std::string& key);

/// A number above 0; `remedy` follows "it must be a number above 0" where it is none.
double require_above_zero(const Json& json, const Place& place, const std::string& remedy);

/// A whole number above 0, and not above `most`.
std::int64_t require_whole(const Json& json, const Place& place,
                           std::int64_t most = std::numeric_limits<std::int64_t>::max());

}  // namespace breakeven
