// Reads and writes structs as JSON objects. Each struct has one list of its members for both directions.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "json/names.h"
#include "json/reader.h"
#include "json/text.h"
#include "json/value.h"

namespace breakeven {

class Fields;
struct Words;  // results/words.h

/// A struct with a list of its members, `void fields(Fields& f, T& value)`, in the order in which they are
/// written.
template <typename T>
concept HasFields = requires(Fields& f, T& value) {
  fields(f, value);
};

/// Reads or writes the members of one object. Lists of pairs are objects; numbers that are not finite are
/// null. All errors are JsonErrors.
class Fields {
 public:
  explicit Fields(Json& written, const Words* file_words = nullptr)
      : written_(&written), words_(file_words) {}
  explicit Fields(const JsonReader& read) : read_(&read) {}

  bool writes() const { return written_ != nullptr; }
  bool reads() const { return read_ != nullptr; }
  /// Null where facts need no words.
  const Words* words() const { return words_; }
  /// The object that is read.
  const JsonReader& reader() const { return *read_; }
  [[noreturn]] void fail(const std::string& what) const { read_->fail(what); }
  /// When reading, throws JsonError unless `holds`. `what` follows the object's place in the message.
  template <typename... Values>
  void expect(bool holds, fmt::format_string<Values...> what, Values&&... values) const {
    if (reads() && !holds) fail(fmt::format(what, std::forward<Values>(values)...));
  }

  /// A required member.
  template <typename T>
  void required(const char* key, T& value) {
    if (writes())
      write(key, value);
    else
      read(key, value);
  }
  /// A member that files of earlier versions lack. If it is absent or null, `value` is not changed.
  template <typename T>
  void optional(const char* key, T& value) {
    if (writes() || read_->find(key) != nullptr) required(key, value);
  }
  /// The same, but written only if it is not empty, 0 or false.
  template <typename T>
  void if_set(const char* key, T& value) {
    if (!writes() || is_set(value)) optional(key, value);
  }
  /// A number that is NaN if it is absent or null.
  void number(const char* key, double& value) {
    if (!writes()) value = std::nan("");
    optional(key, value);
  }
  /// A member that is computed from others: it is written, but never read.
  template <typename T>
  void derived(const char* key, const T& value) {
    if (writes()) write(key, value);
  }
  /// A string that contains JSON.
  void json_text(const char* key, std::string& text);
  /// A nested object. `list` lists its members.
  void object(const char* key, const std::function<void(Fields&)>& list);
  /// A list of objects. `list(Fields&, T&)` lists the members of each.
  template <typename T, typename List>
  void objects(const char* key, std::vector<T>& values, const List& list);

 private:
  template <typename T>
  static bool is_set(const T& value) {
    if constexpr (std::is_arithmetic_v<T>)
      return value != T{};
    else if constexpr (requires { value.has_value(); })
      return value.has_value();
    else
      return !value.empty();
  }
  template <typename T>
  void write(const char* key, const T& value);
  template <typename T>
  void read(const char* key, T& value);

  Json* written_ = nullptr;
  const Words* words_ = nullptr;
  const JsonReader* read_ = nullptr;
};

template <typename T>
inline constexpr bool is_optional = false;
template <typename T>
inline constexpr bool is_optional<std::optional<T>> = true;
/// A list of pairs, stored as an object.
template <typename T>
inline constexpr bool is_pairs = false;
template <typename T>
inline constexpr bool is_pairs<std::vector<std::pair<std::string, T>>> = true;
template <typename T>
inline constexpr bool is_list_of_objects = false;
template <HasFields T>
inline constexpr bool is_list_of_objects<std::vector<T>> = true;

template <typename T>
Json json_of(const T& value, const Words* words = nullptr) {
  if constexpr (HasFields<T>) {
    Json made = Json::object();
    Fields f(made, words);
    fields(f, const_cast<T&>(value));  // writing does not change it
    return made;
  } else if constexpr (Named<T>) {
    return name(value);
  } else if constexpr (is_optional<T>) {
    return value ? json_of(*value, words) : Json(nullptr);
  } else if constexpr (std::is_same_v<T, double>) {
    return number_or_null(value);
  } else if constexpr (is_pairs<T>) {
    Json made = Json::object();
    for (const auto& [key, held] : value) made[key] = held;
    return made;
  } else if constexpr (is_list_of_objects<T> || std::is_same_v<T, std::vector<double>>) {
    Json made = Json::array();
    for (const auto& one : value) made.push_back(json_of(one, words));
    return made;
  } else {
    return Json(value);
  }
}

template <typename T>
void Fields::write(const char* key, const T& value) {
  (*written_)[key] = json_of(value, words_);
}

template <typename T>
void Fields::read(const char* key, T& value) {
  if constexpr (is_optional<T>) {
    read(key, value.emplace());
  } else if constexpr (Named<T>) {
    const auto text = read_->get<std::string>(key);
    const auto named = parse_name<T>(text);
    if (!named) fail("has the unknown " + std::string(key) + " '" + text + "'");
    value = *named;
  } else if constexpr (HasFields<T>) {
    object(key, [&](Fields& f) { fields(f, value); });
  } else if constexpr (is_list_of_objects<T>) {
    objects(key, value, [](Fields& f, auto& one) { fields(f, one); });
  } else if constexpr (std::is_same_v<T, std::size_t>) {
    value = read_->count(key);
  } else if constexpr (std::is_same_v<T, std::vector<double>>) {
    value = read_->numbers(key);
  } else if constexpr (std::is_same_v<T, std::vector<std::pair<std::string, std::string>>>) {
    value = read_->pairs(key);
  } else if constexpr (is_pairs<T>) {
    const auto sorted = read_->get<std::map<std::string, typename T::value_type::second_type>>(key);
    value.assign(sorted.begin(), sorted.end());
  } else {
    value = read_->get<T>(key);
  }
}

template <typename T, typename List>
void Fields::objects(const char* key, std::vector<T>& values, const List& list) {
  if (writes()) {
    Json& made = (*written_)[key] = Json::array();
    for (T& value : values) {
      Fields f(made.emplace_back(Json::object()), words_);
      list(f, value);
    }
  } else {
    const std::vector<JsonReader> all = read_->list(key);
    values.reserve(all.size());
    for (const JsonReader& one : all) {
      Fields f(one);
      list(f, values.emplace_back());
    }
  }
}

/// Reads a struct from a whole document.
template <HasFields T>
T read_fields(const JsonReader& in) {
  T value;
  Fields f(in);
  fields(f, value);
  return value;
}

/// A list whose entries are written with a line for each. `text` is called once for each entry, in order, so
/// that the texts need not all be in memory.
struct Lines {
  const char* key = "";
  std::size_t count = 0;
  std::function<std::string(std::size_t)> text;
};

/// The JSON text of each value, which must outlive the lines.
template <typename T>
Lines lines_of(const char* key, const std::vector<T>& values, const Words* words = nullptr) {
  return {.key = key, .count = values.size(), .text = [&values, words](std::size_t i) {
            return text_of(json_of(values[i], words));
          }};
}
/// Texts that are JSON already, and outlive the lines.
Lines lines_of_texts(const char* key, const std::vector<std::string>& texts);

/// Formats a document with one line for each member of `head`, and one for each entry of the lists: such
/// files grow by lines, and diffs of them are readable.
std::string text_in_lines(const Json& head, const std::vector<Lines>& lists);

}  // namespace breakeven
