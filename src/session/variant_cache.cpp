#include "session/variant_cache.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "host/cache_folder.h"
#include "results/whole_file.h"

namespace breakeven {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* schema = "breakeven.kernels/1";
/// Largest number of choices in the file, which several machines may share. The oldest are removed.
constexpr std::size_t most_choices = 100;
constexpr std::uintmax_t largest_file = std::uintmax_t{1} << 20U;

constexpr std::array key_parts{
    std::pair{"processor", &ChoiceKey::processor}, std::pair{"features", &ChoiceKey::features},
    std::pair{"library", &ChoiceKey::library}, std::pair{"version", &ChoiceKey::version},
    std::pair{"file", &ChoiceKey::file}};

struct Choice {
  ChoiceKey key;
  std::string kernels;
};

const std::string& member_text(const Json& object, const char* name) {
  const auto found = object.find(name);  // find() returns end() if it is not an object
  if (found == object.end() || !found->is_string())
    throw DamagedCache(fmt::format("a choice in it has no '{}'", name));
  return found->get_ref<const std::string&>();
}

std::vector<Choice> choices_in(const std::string& text) {
  if (text.empty()) return {};
  const Json document = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!document.is_object() || document.value("schema", Json()) != schema || !document.contains("choices") ||
      !document["choices"].is_array())
    throw DamagedCache(fmt::format("it is not JSON of the schema {}", schema));
  std::vector<Choice> choices;
  for (const Json& one : document["choices"]) {
    Choice choice{.key = {}, .kernels = member_text(one, "kernels")};
    for (const auto& [name, field] : key_parts) choice.key.*field = member_text(one, name);
    choices.push_back(std::move(choice));
  }
  return choices;
}

}  // namespace

std::optional<std::string> cached_choice(const std::string& text, const ChoiceKey& key) {
  for (const Choice& choice : choices_in(text)) {
    if (choice.key == key) return choice.kernels;
  }
  return std::nullopt;
}

std::string with_choice(const std::string& text, const ChoiceKey& key, const std::string& kernels) {
  std::vector<Choice> choices;
  try {
    choices = choices_in(text);
  } catch (const DamagedCache&) {
    choices.clear();
  }
  std::erase_if(choices, [&](const Choice& choice) { return choice.key == key; });
  choices.push_back({.key = key, .kernels = kernels});
  if (choices.size() > most_choices)
    choices.erase(choices.begin(), choices.end() - static_cast<std::ptrdiff_t>(most_choices));
  Json document{{"schema", schema}, {"choices", Json::array()}};
  for (const Choice& choice : choices) {
    Json one = Json::object();
    for (const auto& [name, field] : key_parts) one[name] = choice.key.*field;
    one["kernels"] = choice.kernels;
    document["choices"].push_back(std::move(one));
  }
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::filesystem::path choices_file() {
  const std::filesystem::path folder = user_cache_folder();
  return folder.empty() ? folder : folder / "kernels.json";
}

std::string read_choices(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return "";
  if (is_special_file(file)) throw DamagedCache("it is not an ordinary file");
  try {
    return read_whole_file(file, largest_file);
  } catch (const FileTooLarge&) {
    throw DamagedCache("it is too large");
  }
}

}  // namespace breakeven
