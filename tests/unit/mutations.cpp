#include "unit/mutations.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

namespace breakeven::mutations {
namespace {

/// One of them is made: one_of(Changes{...}, random)().
using Changes = std::vector<std::function<void()>>;

/// Bytes that are difficult for readers of text: control characters, invalid or incomplete UTF-8, code points
/// that are not characters, ends of strings and of lines.
const std::vector<std::string>& strange_bytes() {
  static const std::vector<std::string> all{"\x1b[2J",
                                            "\x07",
                                            "\r\n",
                                            "\x7f",
                                            "\xff\xfe",
                                            "\xc3",
                                            "\xed\xa0\x80",
                                            "\xe2\x80\xae",
                                            "\xef\xbb\xbf",
                                            "\"",
                                            std::string(1, '\0'),
                                            "\\",
                                            "\\u0000",
                                            "{",
                                            "]",
                                            ",",
                                            "::error::x",
                                            "}",
                                            "-",
                                            "1e9",
                                            "\xf4\x90\x80\x80"};
  return all;
}

/// Numbers at the limits of types, and beyond. The last three are valid JSON, but no double has them.
const std::vector<std::string>& strange_numbers() {
  static const std::vector<std::string> all = words_of(
      "0 -0.0 -1 0.5 1e300 1.7976931348623157e308 -1e308 5e-324 2147483647 2147483648 -2147483649 "
      "9007199254740993 9223372036854775807 -9223372036854775808 9223372036854775808 18446744073709551615 "
      "100000000000000000000000000000 1e999 -1e999 NaN");
  return all;
}

/// Changes a document in one place, near its root as often as deep in it.
class DocumentMutation {
 public:
  DocumentMutation(Json& document, Random& random) : random_(random), root_(document) {}

  void apply() {
    Json* container = nullptr;
    Json* value = &root_;
    while (value->is_structured() && !value->empty() && (container == nullptr || pick(5, random_) > 0)) {
      container = value;
      index_ = pick(value->size(), random_);
      value = &element(*container, index_);
    }
    if (container == nullptr || pick(3, random_) > 0) return change(*value);
    if (container->is_object()) {
      change_members(container->get_ref<Json::object_t&>());
    } else {
      change_elements(container->get_ref<Json::array_t&>());
    }
  }

  /// A placeholder string for text that a document cannot contain.
  static std::string marked(std::size_t raw) { return "@raw " + std::to_string(raw) + "@"; }
  const std::vector<std::string>& raw_texts() const { return raw_; }

 private:
  static Json& element(Json& container, std::size_t index) {
    if (container.is_array()) return container.get_ref<Json::array_t&>()[index];
    return (container.get_ref<Json::object_t&>().begin() + static_cast<std::ptrdiff_t>(index))->second;
  }

  Json raw(std::string text) {
    raw_.push_back(std::move(text));
    return marked(raw_.size() - 1);
  }

  void change(Json& value) {
    static const Json others = Json::parse(
        R"([null, true, false, "", "x", -1, 1.5, [], {}, [1], "*", "/", "::error::x\n::", {"a": 1}])");
    constexpr std::size_t deep = 100;
    const auto other = [&] { value = one_of(others, random_); };
    const auto number = [&] { value = raw(one_of(strange_numbers(), random_)); };
    const auto large = [&] {
      value = pick(2, random_) == 0 ? raw(std::string(deep, '[') + std::string(deep, ']'))
                                    : Json(std::string(2000, 'x'));
    };
    const auto from_elsewhere = [&] {
      value =
          Json(root_.is_structured() && !root_.empty() ? element(root_, pick(root_.size(), random_)) : root_);
    };
    one_of(
        Changes{other, other, number, number,
                [&] { value = raw("\"" + one_of(strange_bytes(), random_) + "\""); }, large, from_elsewhere},
        random_)();
  }

  void change_members(Json::object_t& members) {
    // A key cannot be assigned, so the members are made again.
    std::vector<std::pair<std::string, Json>> all(members.begin(), members.end());
    const auto at = all.begin() + static_cast<std::ptrdiff_t>(index_);
    std::string& key = at->first;
    one_of(Changes{[&] { all.erase(at); }, [&] { all.push_back(*at); },
                   [&] { std::rotate(all.begin(), at, all.end()); },
                   [&] { key = key.empty() ? "x" : key.substr(0, key.size() - 1); },
                   [&] { key = all[pick(all.size(), random_)].first; }},
           random_)();
    members.clear();
    for (auto& [name, value] : all) members.emplace_back(name, std::move(value));
  }

  void change_elements(Json::array_t& elements) {
    const auto at = elements.begin() + static_cast<std::ptrdiff_t>(index_);
    one_of(Changes{[&] { elements.erase(at); }, [&] { elements.push_back(Json(*at)); },
                   [&] { std::rotate(elements.begin(), at, elements.end()); }, [&] { elements.clear(); }},
           random_)();
  }

  Random& random_;
  Json& root_;
  std::size_t index_ = 0;
  std::vector<std::string> raw_;
};

}  // namespace

std::string mutated_bytes(const std::string& text, Random& random) {
  std::string bytes = text;
  for (std::size_t changes = 1 + pick(3, random); changes > 0; --changes) {
    if (bytes.empty()) bytes = one_of(strange_bytes(), random);
    const std::size_t at = pick(bytes.size(), random);
    const std::size_t length = std::min(bytes.size() - at, 1 + pick(64, random));
    const auto flip_a_bit = [&] {
      bytes[at] = static_cast<char>(static_cast<unsigned char>(bytes[at]) ^ (1U << pick(8, random)));
    };
    const auto overwrite = [&] {
      bytes.replace(at, length,
                    std::string(length, static_cast<char>(one_of(std::string("\0\xff 9", 4), random))));
    };
    one_of(Changes{flip_a_bit, [&] { bytes[at] = static_cast<char>(pick(256, random)); },
                   [&] { bytes.insert(at, one_of(strange_bytes(), random)); },
                   [&] { bytes.erase(at, length); }, [&] { bytes.insert(at, bytes.substr(at, length)); },
                   [&] { bytes.insert(pick(bytes.size(), random), bytes.substr(at, length)); }, overwrite,
                   [&] { bytes.resize(at); }},
           random)();
  }
  return bytes;
}

std::string mutated_json(const std::string& text, Random& random) {
  Json document = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (document.is_discarded()) return mutated_bytes(text, random);
  std::string changed;
  for (std::size_t changes = 1 + pick(3, random); changes > 0; --changes) {
    DocumentMutation mutation(document, random);
    mutation.apply();
    changed = document.dump(pick(2, random) == 0 ? -1 : 1, ' ', false, Json::error_handler_t::replace);
    for (std::size_t i = 0; i < mutation.raw_texts().size(); ++i) {
      const std::string mark = "\"" + DocumentMutation::marked(i) + "\"";
      if (const auto at = changed.find(mark); at != std::string::npos)
        changed.replace(at, mark.size(), mutation.raw_texts()[i]);
    }
    document = Json::parse(changed, nullptr, /*allow_exceptions=*/false);
    if (document.is_discarded()) break;
  }
  return changed;
}

}  // namespace breakeven::mutations
