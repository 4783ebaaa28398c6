#include "json/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "json/other_format.h"
#include "json/place.h"
#include "text/printable.h"

namespace breakeven {
namespace {

// Far larger than real files need: a hostile file can exhaust neither time nor the stack.
constexpr std::size_t deepest = 64;

/// Frees a document's values from the inside out, which needs no memory: nlohmann_json's destructor makes a
/// list of the values of everything that is not empty. Documents are no deeper than `deepest`.
void dismantle(Json& document) {
  if (document.is_array()) {
    auto& values = document.get_ref<Json::array_t&>();
    for (; !values.empty(); values.pop_back()) dismantle(values.back());
  } else if (document.is_object()) {
    auto& members = document.get_ref<Json::object_t&>();
    for (; !members.empty(); members.pop_back()) dismantle(members.back().second);
  }
}

/// The characters of a text in parts.
class PartedText {
 public:
  explicit PartedText(const TextParts& parts) : parts_(parts) {}
  bool are_left() {
    if (next_ == end_ && !ended_) {
      const std::string_view part = parts_();
      next_ = part.data();
      end_ = next_ + part.size();
      ended_ = part.empty();
      if (beginning_.empty()) beginning_ = whole_characters(part.substr(0, longest_beginning));
    }
    return next_ != end_;
  }
  const char& next() const { return *next_; }
  void advance() { last_ = *next_++; }
  /// The last character that was read.
  char last() const { return last_; }
  /// Enough of the text to tell its format.
  const std::string& beginning() const { return beginning_; }

 private:
  static constexpr std::size_t longest_beginning = 65536;

  /// The text without the bytes at its end that may be the beginning of a character.
  static std::string whole_characters(std::string_view text) {
    constexpr auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
    if (text.size() == longest_beginning) {
      while (!text.empty() && !is_ascii(text.back())) text.remove_suffix(1);
    }
    return std::string(text);
  }

  const TextParts& parts_;
  std::string beginning_;
  char last_ = ' ';
  const char* next_ = nullptr;
  const char* end_ = nullptr;
  bool ended_ = false;
};

/// Iterates over them for the library's parser, which reads each once; null: the end.
class CharacterIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  explicit CharacterIterator(PartedText* of = nullptr) : of_(of) {}
  reference operator*() const { return of_->next(); }
  CharacterIterator& operator++() {
    of_->advance();
    return *this;
  }
  bool operator==(const CharacterIterator& end) const {
    return of_ == end.of_ || !(of_ != nullptr ? of_ : end.of_)->are_left();
  }

 private:
  PartedText* of_;
};

/// Builds the document, like the library's own builder, and also detects errors that the library accepts.
class Builder {
 public:
  Builder(RepeatedKey repeated, ElementReceiver* receiver, std::size_t most)
      : repeated_(repeated), receiver_(receiver), most_(most) {}
  Json take() { return std::move(*document_); }

  // The parser calls these functions; their names are the library's.
  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(Json::number_integer_t value) { return add(value); }
  bool number_unsigned(Json::number_unsigned_t value) { return add(value); }
  bool number_float(Json::number_float_t value, const std::string& /*text*/) { return add(value); }
  bool string(std::string& value) { return add(std::move(value)); }
  bool binary(Json::binary_t& /*value*/) { return false; }  // JSON has no binary values
  bool start_object(std::size_t /*elements*/) { return open(Json::object()); }
  bool start_array(std::size_t /*elements*/) { return open(Json::array()); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool key(std::string& name) {
    if (ignored_levels_ > 0) return true;
    auto& members = levels_.back()->get_ref<Json::object_t&>();
    const auto [member, added] = members.emplace(name, nullptr);
    if (!added && repeated_ == RepeatedKey::refused) {
      throw JsonError(place() + pointer_to(name), "is there twice; remove one");
    }
    if (members.size() > most_members) {
      throw JsonError(place(), fmt::format("has more than {} keys; is it the right file?", most_members));
    }
    key_ = std::move(name);
    member_ = &member->second;
    ignores_next_ = !added;
    return true;
  }

  bool parse_error(std::size_t /*position*/, const std::string& /*token*/, const Json::exception& e) {
    const std::string problem = json_error_text(e.what());
    if (const auto* syntax = dynamic_cast<const Json::parse_error*>(&e))
      throw JsonSyntaxError(syntax->byte, problem);
    throw JsonError(next_place(), problem);  // such as a number that is too large for a double
  }

 private:
  /// Adds a value. Returns true, so that the parser continues.
  template <typename Value>
  bool add(Value&& value) {
    count();
    if (!takes_next()) return true;
    put(std::forward<Value>(value));
    hand_over();
    return true;
  }

  void count() {
    if (++values_ > most_)
      throw JsonError(
          fmt::format("holds more than {} million values; is it the right file? Split it, or "
                      "leave out cases",
                      most_ / 1'000'000));
  }

  /// Returns false for the value of a repeated key, and for everything in it.
  bool takes_next() { return ignored_levels_ == 0 && !std::exchange(ignores_next_, false); }

  template <typename Value>
  Json* put(Value&& value) {
    if (levels_.empty()) {
      *document_ = std::forward<Value>(value);
      return document_.get();
    }
    Json& level = *levels_.back();
    if (level.is_array()) return &level.get_ref<Json::array_t&>().emplace_back(std::forward<Value>(value));
    *member_ = std::forward<Value>(value);
    return member_;
  }

  bool open(Json empty) {
    if (levels_.size() + ignored_levels_ >= deepest)
      throw JsonError(place(),
                      fmt::format("is nested more than {} levels deep; is it the right file?", deepest));
    count();
    if (!takes_next()) {
      ++ignored_levels_;
      return true;
    }
    if (empty.is_object()) {
      // Reserves as many members as the last object at this depth had: growing would copy all members read so
      // far.
      constexpr std::size_t most_reserved = 32;
      members_.resize(std::max(members_.size(), levels_.size() + 1));
      empty.get_ref<Json::object_t&>().reserve(std::min(members_[levels_.size()], most_reserved));
    }
    // The value stays in place while its level is open, because only the innermost level grows.
    if (receiver_ != nullptr && levels_.size() == 1 && levels_[0]->is_object() && empty.is_array())
      receives_ = receiver_->wants(*document_, key_);
    keys_.push_back(std::move(key_));
    levels_.push_back(put(std::move(empty)));
    return true;
  }
  bool close() {
    if (ignored_levels_ > 0) {
      --ignored_levels_;
      return true;
    }
    const Json& level = *levels_.back();
    levels_.pop_back();
    if (level.is_object()) members_[levels_.size()] = level.size();
    keys_.pop_back();
    if (levels_.size() == 1) {
      receives_ = false;
      received_ = 0;
    }
    hand_over();
    return true;
  }

  /// Gives the receiver the element that has just been completed, and frees it.
  void hand_over() {
    if (!receives_ || levels_.size() != 2) return;
    auto& elements = levels_[1]->get_ref<Json::array_t&>();
    receiver_->receive(elements.back());
    dismantle(elements.back());
    elements.pop_back();
    ++received_;
  }
  /// The number of elements of the open level `l`, a list, that were read so far.
  std::size_t elements_of(std::size_t l) const { return levels_[l]->size() + (l == 1 ? received_ : 0); }

  /// The place of the innermost open level, as a JSON pointer.
  std::string place() const {
    std::string pointer;
    for (std::size_t l = 1; l < levels_.size(); ++l) {
      const Json& outer = *levels_[l - 1];
      pointer += outer.is_array() ? fmt::format("/{}", elements_of(l - 1) - 1) : pointer_to(keys_[l]);
    }
    return pointer;
  }
  /// The place of the value that is read next.
  std::string next_place() const {
    if (levels_.empty()) return "";
    const Json& level = *levels_.back();
    const std::size_t innermost = levels_.size() - 1;
    return place() + (level.is_array() ? fmt::format("/{}", elements_of(innermost)) : pointer_to(key_));
  }

  RepeatedKey repeated_;
  ElementReceiver* receiver_;
  std::size_t most_;          // values
  bool receives_ = false;     // the open list in the outermost object
  std::size_t received_ = 0;  // elements of that list
  std::size_t values_ = 0;
  OwnedDocument document_{new Json};
  std::vector<Json*> levels_;         // open levels, the outermost first
  std::vector<std::size_t> members_;  // number of members of the last object at each depth
  std::vector<std::string> keys_;     // keys of the open levels in the level around them
  std::string key_;                   // the last key, and the place for its value
  Json* member_ = nullptr;
  bool ignores_next_ = false;       // the key is repeated, and the first one counts
  std::size_t ignored_levels_ = 0;  // open levels in the value of a repeated key
};

}  // namespace

TextParts parts_of(std::string_view text) {
  return [text]() mutable { return std::exchange(text, {}); };
}

Json parse_strictly(const TextParts& text, RepeatedKey repeated, ElementReceiver* receiver,
                    std::size_t most) {
  Builder builder(repeated, receiver, most);
  PartedText characters(text);
  try {
    Json::sax_parse(CharacterIterator(&characters), CharacterIterator(), &builder);
  } catch (const JsonSyntaxError&) {
    if (const std::string other = other_format(characters.beginning()); !other.empty())
      throw JsonError(other);
    throw;
  }
  // The library takes a zero byte for the end of the text.
  if (characters.last() == '\0') throw JsonError(other_format(characters.beginning() + '\0'));
  return builder.take();
}

Json parse_strictly(const std::string& text, RepeatedKey repeated, std::size_t most) {
  return parse_strictly(parts_of(text), repeated, nullptr, most);
}

void FreeDocument::operator()(Json* document) const {
  dismantle(*document);
  delete document;
}

std::string text_of(const Json& json, int indentation) {
  return json.dump(indentation, ' ', false, Json::error_handler_t::replace);
}

std::string json_error_text(std::string_view message) {
  // "[json.exception.parse_error.101] parse error at line 3, column 5: syntax error while parsing value -
  // ..."
  constexpr std::size_t most = 200;
  if (message.starts_with("[json.exception")) message.remove_prefix(message.find(']') + 1);
  if (message.starts_with(' ')) message.remove_prefix(1);
  if (constexpr std::string_view prefix = "parse error at "; message.starts_with(prefix))
    message.remove_prefix(prefix.size());
  std::string text(message);
  const auto syntax = text.find("syntax error while parsing ");
  const auto dash = text.find(" - ");
  if (syntax != std::string::npos && dash != std::string::npos && dash > syntax)
    text.erase(syntax, dash + 3 - syntax);
  return message_line(text, most);
}

}  // namespace breakeven
