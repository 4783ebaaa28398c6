#include "results/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <utility>
#include <vector>

#include "results/result.h"

namespace breakeven {
namespace {

using Json = nlohmann::ordered_json;

// Limits that no result comes near, so that a hostile file costs neither time nor the stack.
constexpr std::size_t deepest = 64;
constexpr std::size_t most_keys = 1000;

/// Builds the document, as the library's own builder does, and sees what that would let pass.
class Builder {
 public:
  explicit Builder(RepeatedKey repeated) : repeated_(repeated) {}
  Json take() { return std::move(document_); }

  // What the parser calls, by the library's names.
  bool null() { return add(nullptr) != nullptr; }
  bool boolean(bool value) { return add(value) != nullptr; }
  bool number_integer(Json::number_integer_t value) { return add(value) != nullptr; }
  bool number_unsigned(Json::number_unsigned_t value) { return add(value) != nullptr; }
  bool number_float(Json::number_float_t value, const std::string& /*text*/) { return add(value) != nullptr; }
  bool string(std::string& value) { return add(std::move(value)) != nullptr; }
  bool binary(Json::binary_t& /*value*/) { return false; }  // JSON has none
  bool start_object(std::size_t /*elements*/) { return open(Json::object()); }
  bool start_array(std::size_t /*elements*/) { return open(Json::array()); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool key(std::string& name) {
    auto& members = levels_.back()->get_ref<Json::object_t&>();
    const auto [member, added] = members.emplace(name, nullptr);
    if (!added && repeated_ == RepeatedKey::refused) {
      throw ResultError(fmt::format("{}/{} is there twice; remove one", place(), name));
    }
    if (members.size() > most_keys) {
      throw ResultError(
          fmt::format("{} has more than {} keys; is it the right file?", or_root(place()), most_keys));
    }
    key_ = std::move(name);
    member_ = added ? &member->second : &ignored_;
    return true;
  }

  bool parse_error(std::size_t /*position*/, const std::string& /*token*/, const Json::exception& e) {
    throw ResultError(fmt::format("is not valid JSON, perhaps truncated: {}", e.what()));
  }

 private:
  template <typename Value>
  Json* add(Value&& value) {
    if (levels_.empty()) {
      document_ = std::forward<Value>(value);
      return &document_;
    }
    Json& level = *levels_.back();
    if (level.is_array()) return &level.get_ref<Json::array_t&>().emplace_back(std::forward<Value>(value));
    *member_ = std::forward<Value>(value);
    return member_;
  }

  bool open(Json empty) {
    if (levels_.size() >= deepest)
      throw ResultError(fmt::format("{} is nested more than {} levels deep; is it the right file?",
                                    or_root(place()), deepest));
    if (empty.is_object()) {
      // As many as the last object at this depth had: a growing one would copy all that is in it so far.
      constexpr std::size_t most_reserved = 32;
      members_.resize(std::max(members_.size(), levels_.size() + 1));
      empty.get_ref<Json::object_t&>().reserve(std::min(members_[levels_.size()], most_reserved));
    }
    // The value stays where it is while its level is open: only the innermost level grows.
    keys_.push_back(std::move(key_));
    levels_.push_back(add(std::move(empty)));
    return true;
  }
  bool close() {
    const Json& level = *levels_.back();
    levels_.pop_back();
    if (level.is_object()) members_[levels_.size()] = level.size();
    keys_.pop_back();
    return true;
  }

  /// Of the innermost open level, as a JSON pointer.
  std::string place() const {
    std::string pointer;
    for (std::size_t l = 1; l < levels_.size(); ++l) {
      const Json& outer = *levels_[l - 1];
      pointer += outer.is_array() ? fmt::format("/{}", outer.size() - 1) : fmt::format("/{}", keys_[l]);
    }
    return pointer;
  }
  static std::string or_root(const std::string& pointer) { return pointer.empty() ? "/" : pointer; }

  RepeatedKey repeated_;
  Json document_, ignored_;
  std::vector<Json*> levels_;         // that are open, the outermost first
  std::vector<std::size_t> members_;  // of the last object at each depth
  std::vector<std::string> keys_;     // under which each stands in the one around it
  std::string key_;                   // the last one met, and where its value goes
  Json* member_ = nullptr;
};

}  // namespace

std::string read_result_text(const std::filesystem::path& path) {
  const auto fail = [&](const std::string& what) {
    throw ResultError(fmt::format("{}: {}", path.string(), what));
  };
  const bool standard_input = path == "-";
  std::ifstream file;
  if (!standard_input) {
    std::error_code error;
    if (std::filesystem::is_directory(path, error)) fail("is a folder, not a result file");
    errno = 0;
    file.open(path, std::ios::binary);
    if (!file) fail(fmt::format("cannot be read: {}", std::strerror(errno)));
  }
  std::istream& in = standard_input ? std::cin : file;
  std::string text;
  std::vector<char> block(std::size_t{1} << 16U);
  while (in && text.size() <= largest_result_file) {  // a pipe has no size to ask for
    in.read(block.data(), static_cast<std::streamsize>(block.size()));
    text.append(block.data(), static_cast<std::size_t>(in.gcount()));
  }
  if (text.size() > largest_result_file)
    fail(fmt::format("is larger than {} MiB; is it the right file?", largest_result_file >> 20U));
  if (in.bad()) fail("cannot be read to its end; check the disk it is on");
  return text;
}

nlohmann::ordered_json parse_strictly(const std::string& text, RepeatedKey repeated) {
  Builder builder(repeated);
  Json::sax_parse(text.data(), text.data() + text.size(), &builder);
  return builder.take();
}

}  // namespace breakeven
