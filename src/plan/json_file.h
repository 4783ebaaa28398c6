// Reads JSON files that users write: strictly, with limits, and with errors that name the place.
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
  std::string text;  // as read, but without a byte order mark
  Json document = {};
};

/// The largest file that is read, in bytes. No config is so large; results and data sets may be.
inline constexpr std::uintmax_t largest_json_file = std::uintmax_t{16} << 20U;

/// The largest number of values in such a file: 100,000 cases, each a row of a list of shapes, have fewer.
inline constexpr std::size_t most_json_values = 3'000'000;

/// Reads and parses a file. Throws ConfigError if it cannot be read, is empty, too large, not UTF-8 or not
/// JSON, or if an object has a key twice. A UTF-8 byte order mark is accepted.
JsonFile read_json(const std::filesystem::path& path);

/// The same. Also throws ConfigError if the file is of another kind than `wanted`; the message names its
/// kind.
JsonFile read_json(const std::filesystem::path& path, FileKind wanted);

/// `value` as JSON, shortened to fit in a message.
std::string shown(const Json& value);

/// Throws ConfigError unless `object` is an object and all its keys are in `known`.
void require_object(const Json& object, const Place& place, const std::vector<std::string>& known);

/// Returns `object[key]`. Throws ConfigError if it is missing.
const Json& require_member(const Json& object, const Place& place, const std::string& key);

/// Returns the string at `object[key]`. Throws ConfigError if it is missing or empty.
std::string require_text(const Json& object, const Place& place, const std::string& key);

/// Returns a number above 0. Throws ConfigError for anything else; its message ends with `remedy`, after "it
/// must be a number above 0".
double require_above_zero(const Json& json, const Place& place, const std::string& remedy);

/// Returns a whole number from 1 to `most`. Throws ConfigError for anything else.
std::int64_t require_whole(const Json& json, const Place& place,
                           std::int64_t most = std::numeric_limits<std::int64_t>::max());

}  // namespace breakeven
