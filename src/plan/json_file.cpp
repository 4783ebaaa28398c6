#include "plan/json_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "plan/suggestion.h"
#include "results/whole_file.h"
#include "text/json_error.h"

namespace breakeven {
namespace {

std::string cut(std::string text, std::size_t length) {
  if (text.size() <= length) return text;
  while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0U) == 0x80U) --length;
  return text.substr(0, length) + "...";
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
    place.fail(fmt::format("cannot be read: {}; check its permissions", e.code().message()));
  }
}

bool is_utf8(const std::string& text) {
  try {
    (void)Json(text).dump();  // the library's own check
    return true;
  } catch (const Json::type_error&) {
    return false;
  }
}

/// Follows the parser, to know where it is, and to see what it would let pass: a key twice.
class Follower {
 public:
  explicit Follower(std::string file) : file_(std::move(file)) {}

  bool operator()(Json::parse_event_t event, const Json& parsed) {
    // Limits no config comes near, so that a broken file costs neither memory nor time.
    constexpr std::size_t deepest = 64;
    constexpr std::size_t most_keys = 1000;
    switch (event) {
      case Json::parse_event_t::object_start:
      case Json::parse_event_t::array_start:
        if (levels_.size() >= deepest)
          place().fail(fmt::format("is nested more than {} levels deep", deepest));
        levels_.push_back({.is_array = event == Json::parse_event_t::array_start, .index = 0, .key = {}});
        break;
      case Json::parse_event_t::key: {
        Level& level = levels_.back();
        level.key = parsed.get<std::string>();
        if (!level.keys.insert(*level.key).second)
          place().fail(fmt::format("the key '{}' is there twice; remove one", *level.key));
        if (level.keys.size() > most_keys)
          place().fail(fmt::format("is the {}th key of one object; is it the right file?", most_keys + 1));
        break;
      }
      case Json::parse_event_t::object_end:
      case Json::parse_event_t::array_end:
        levels_.pop_back();
        ++position();
        break;
      case Json::parse_event_t::value:
        ++position();
        break;
    }
    return true;
  }

  /// Of the value that the parser is at.
  Place place() const {
    Place place(file_);
    for (const Level& level : levels_) {
      if (level.is_array) {
        place = place / level.index;
      } else if (level.key) {
        place = place / *level.key;
      }
    }
    return place;
  }

 private:
  struct Level {
    bool is_array = false;
    std::size_t index = 0;
    std::optional<std::string> key;
    std::set<std::string> keys = {};
  };
  std::size_t& position() { return levels_.empty() ? top_ : levels_.back().index; }

  std::string file_;
  std::vector<Level> levels_;
  std::size_t top_ = 0;
};

/// `byte` is the parser's, counted from 1; one past the text where that ended too early.
[[noreturn]] void fail_syntax(const Place& place, const std::string& text, std::size_t byte,
                              std::string message) {
  message = json_error_text(message);
  // Whose own place is that of the token's end.
  if (const auto colon = message.find(": "); message.starts_with("line ") && colon != std::string::npos)
    message.erase(0, colon + 2);
  const std::string_view before(text.data(), std::min(byte == 0 ? 0 : byte - 1, text.size()));
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
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
  }
  place.fail(fmt::format("line {}, column {}: {}{}", line, column, cut(message, 200), remedy));
}

}  // namespace

JsonFile read_json(const std::filesystem::path& path) {
  const Place place(path.string());
  JsonFile read{.text = read_text(path, place), .document = {}};
  if (read.text.starts_with("\xEF\xBB\xBF")) read.text.erase(0, 3);
  if (read.text.find_first_not_of(" \t\r\n") == std::string::npos)
    place.fail("is empty; a config has at least {\"workloads\": [...]}");
  if (read.text.find('\0') != std::string::npos || !is_utf8(read.text))
    place.fail("is not UTF-8 text; is it the right file, and was it saved as UTF-8?");
  Follower follower(place.file());
  try {
    read.document = Json::parse(read.text, [&follower](int, Json::parse_event_t event, Json& parsed) {
      return follower(event, parsed);
    });
  } catch (const Json::parse_error& e) {
    fail_syntax(place, read.text, e.byte, e.what());
  } catch (const Json::exception& e) {  // a number that no double holds
    follower.place().fail(json_error_text(e.what()));
  }
  return read;
}

JsonFile read_json(const std::filesystem::path& path, FileKind wanted) {
  JsonFile read = read_json(path);
  const FileKind kind = kind_of(read.document);
  if (kind != wanted && kind != FileKind::unknown)
    Place(path.string())
        .fail(fmt::format("is {}, not {}{}", describe(kind), describe(wanted),
                          wanted == FileKind::config ? "; `breakeven list` shows all configs" : ""));
  return read;
}

std::string shown(const Json& value) {
  return cut(value.dump(-1, ' ', false, Json::error_handler_t::replace), 60);
}

void require_object(const Json& object, const Place& place, const std::vector<std::string>& known) {
  if (!object.is_object()) place.fail(fmt::format("is {}; it must be an object, {{...}}", shown(object)));
  for (const auto& [key, value] : object.items()) {
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      (place / key)
          .fail(fmt::format("unknown key '{}'; known are {}{}", cut(key, 60), fmt::join(known, ", "),
                            did_you_mean(key, known)));
    }
  }
}

std::string require_text(const Json& object, const Place& place, const std::string& key) {
  const auto found = object.find(key);
  if (found == object.end()) place.fail(fmt::format("'{}' is missing; add it", key));
  if (!found->is_string() || found->get_ref<const std::string&>().empty())
    (place / key).fail(fmt::format("is {}; it must be a string that is not empty", shown(*found)));
  return found->get<std::string>();
}

double require_above_zero(const Json& json, const Place& place, const std::string& remedy) {
  if (!json.is_number() || !(json.get<double>() > 0) || !std::isfinite(json.get<double>()))
    place.fail(fmt::format("is {}; it must be a number above 0{}", shown(json), remedy));
  return json.get<double>();
}

std::int64_t require_whole(const Json& json, const Place& place, std::int64_t most) {
  if (!json.is_number_integer() || json.get<std::int64_t>() < 1 || json.get<std::int64_t>() > most)
    place.fail(fmt::format(
        "is {}; it must be a whole number {}", shown(json),
        most == std::numeric_limits<std::int64_t>::max() ? "above 0" : fmt::format("from 1 to {}", most)));
  return json.get<std::int64_t>();
}

}  // namespace breakeven
