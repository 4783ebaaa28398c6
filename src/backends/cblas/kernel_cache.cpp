#include "backends/cblas/kernel_cache.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>
#include <vector>

#include "host/cache_folder.h"

namespace breakeven::cblas {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* schema = "breakeven.kernels/1";
/// Largest number of choices in the file, which several machines may share. The oldest are removed.
constexpr std::size_t most_choices = 100;
constexpr std::uintmax_t largest_file = std::uintmax_t{1} << 20U;

constexpr std::array fields{std::pair{"processor", &ChoiceKey::processor},
                            std::pair{"features", &ChoiceKey::features},
                            std::pair{"library", &ChoiceKey::library},
                            std::pair{"version", &ChoiceKey::version}, std::pair{"file", &ChoiceKey::file}};

struct Choice {
  ChoiceKey key;
  std::string kernels;
};

const std::string& text_of(const Json& object, const char* name) {
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
    Choice choice{.key = {}, .kernels = text_of(one, "kernels")};
    for (const auto& [name, field] : fields) choice.key.*field = text_of(one, name);
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
    for (const auto& [name, field] : fields) one[name] = choice.key.*field;
    one["kernels"] = choice.kernels;
    document["choices"].push_back(std::move(one));
  }
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::filesystem::path kernel_cache_file() {
  const std::filesystem::path folder = user_cache_folder();
  return folder.empty() ? folder : folder / "kernels.json";
}

std::string read_cache(const std::filesystem::path& file) {
  const auto status = std::filesystem::status(file);  // not opened before: opening a pipe would block
  if (!std::filesystem::exists(status)) return "";
  if (!std::filesystem::is_regular_file(status)) throw DamagedCache("it is not an ordinary file");
  if (std::filesystem::file_size(file) > largest_file) throw DamagedCache("it is too large");
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::system_error(errno, std::generic_category());
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void write_cache(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::create_directories(file.parent_path());
  std::filesystem::path beside = file;
  beside += fmt::format(".{}", getpid());
  errno = 0;
  std::ofstream out(beside, std::ios::binary);
  out << text;
  out.close();
  const int error = errno;
  std::error_code renamed(error != 0 ? error : EIO, std::generic_category());
  if (out) std::filesystem::rename(beside, file, renamed);
  if (!renamed) return;
  std::error_code ignored;
  std::filesystem::remove(beside, ignored);
  throw std::system_error(renamed);
}

}  // namespace breakeven::cblas
