#include "plan/json_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/algorithm/string/case_conv.hpp>
#include <cctype>
#include <cmath>
#include <system_error>
#include <vector>

#include "json/text.h"
#include "plan/suggestion.h"
#include "results/whole_file.h"
#include "text/printable.h"

namespace breakeven {
namespace {

std::string cut(const std::string& text, std::size_t length) {
  return text.size() <= length ? text : std::string(first_characters(text, length)) + "...";
}

std::string read_text(const std::filesystem::path& path, const Place& place) {
  try {
    if (path == "-") place.fail("standard input cannot be read here; give a file");
    return read_whole_file(path, largest_json_file);
  } catch (const FileTooLarge& e) {
    place.fail(e.what());
  } catch (const std::system_error& e) {
    if (e.code() == std::errc::no_such_file_or_directory || e.code() == std::errc::not_a_directory)
      place.fail("there is no such file; check the path");
    if (e.code() == std::errc::is_a_directory) place.fail("is a directory; name a file in it");
    place.fail("cannot be read: {}; check its permissions", e.code().message());
  }
}

/// The letters around a byte, in lower case.
std::string word_at(const std::string& text, std::size_t byte) {
  const auto is_letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
  const auto at = text.begin() + static_cast<std::ptrdiff_t>(byte);
  const auto first = std::find_if_not(std::reverse_iterator(at), text.rend(), is_letter).base();
  return boost::algorithm::to_lower_copy(std::string(first, std::find_if_not(at, text.end(), is_letter)));
}

[[noreturn]] void fail_syntax(const Place& place, const std::string& text, const JsonSyntaxError& error) {
  const std::size_t byte = error.byte();
  std::string message = error.syntax();
  // The place in the library's message is the end of the token: it is replaced.
  if (const auto colon = message.find(": "); message.starts_with("line ") && colon != std::string::npos)
    message.erase(0, colon + 2);
  const std::string_view before(text.data(), std::min(byte == 0 ? 0 : byte - 1, text.size()));
  const auto line = std::ranges::count(before, '\n') + 1;
  const auto newline = before.rfind('\n');
  const std::size_t column = before.size() - (newline == std::string_view::npos ? 0 : newline + 1) + 1;
  std::string remedy;
  const auto last = before.find_last_not_of(" \t\r\n");
  if (byte > text.size()) {
    remedy = "; the file ends too early: is it cut off?";
  } else if (last != std::string_view::npos && before[last] == ',' &&
             (text[byte - 1] == '}' || text[byte - 1] == ']')) {
    remedy = "; remove the comma before it";
  } else if (text[byte - 1] == '/') {
    remedy = "; JSON has no comments";
  } else if (const std::string word = word_at(text, byte - 1);
             word == "nan" || word == "inf" || word == "infinity") {
    remedy = "; JSON has neither NaN nor infinity";
  }
  place.fail("line {}, column {}: {}{}", line, column, cut(message, 200), remedy);
}

/// Reads and parses a file of any kind. Of an empty one, the message says what it must be.
JsonFile parse(const std::filesystem::path& path, FileKind wanted) {
  const Place place(path.string());
  JsonFile read{.text = read_text(path, place)};
  if (read.text.starts_with("\xEF\xBB\xBF")) read.text.erase(0, 3);
  if (read.text.find_first_not_of(" \t\r\n") == std::string::npos)
    place.fail("is empty; it must be {}{}", describe(wanted),
               wanted == FileKind::config ? ", which has at least {\"workloads\": [...]}" : "");
  try {
    read.document = parse_strictly(read.text, RepeatedKey::refused, most_json_values);
  } catch (const JsonSyntaxError& e) {
    fail_syntax(place, read.text, e);
  } catch (const JsonError& e) {
    place.at(e.pointer()).fail(e.problem());
  }
  return read;
}

}  // namespace

JsonFile read_json(const std::filesystem::path& path) {
  return parse(path, FileKind::config);
}

JsonFile read_json(const std::filesystem::path& path, FileKind wanted) {
  JsonFile read = parse(path, wanted);
  const FileKind kind = kind_of(read.document);
  if (kind != wanted && kind != FileKind::unknown)
    Place(path.string())
        .fail("is {}, not {}{}", describe(kind), describe(wanted),
              wanted == FileKind::config ? "; `breakeven list` shows all configs" : "");
  return read;
}

std::string shown(const Json& value) {
  return cut(value.dump(-1, ' ', false, Json::error_handler_t::replace), 60);
}

void require_object(const Json& object, const Place& place, const std::vector<std::string>& known) {
  if (!object.is_object()) place.fail("is {}; it must be an object, {{...}}", shown(object));
  for (const auto& [key, value] : object.items()) {
    if (std::ranges::find(known, key) == known.end()) {
      (place / key)
          .fail("unknown key '{}'; known are {}{}", cut(key, 60), fmt::join(known, ", "),
                did_you_mean(key, known));
    }
  }
}

const Json& require_member(const Json& object, const Place& place, const std::string& key) {
  const auto found = object.find(key);
  if (found == object.end()) place.fail("'{}' is missing; add it", key);
  return *found;
}

std::string require_text(const Json& object, const Place& place, const std::string& key) {
  const Json& text = require_member(object, place, key);
  if (!text.is_string() || text.get_ref<const std::string&>().empty())
    (place / key).fail("is {}; it must be a string that is not empty", shown(text));
  return text.get<std::string>();
}

double require_above_zero(const Json& json, const Place& place, const std::string& remedy) {
  if (!json.is_number() || !(json.get<double>() > 0) || !std::isfinite(json.get<double>()))
    place.fail("is {}; it must be a number above 0{}", shown(json), remedy);
  return json.get<double>();
}

std::int64_t require_whole(const Json& json, const Place& place, std::int64_t most) {
  if (!json.is_number_integer() || json.get<std::int64_t>() < 1 || json.get<std::int64_t>() > most)
    place.fail(
        "is {}; it must be a whole number {}", shown(json),
        most == std::numeric_limits<std::int64_t>::max() ? "above 0" : fmt::format("from 1 to {}", most));
  return json.get<std::int64_t>();
}

}  // namespace breakeven
