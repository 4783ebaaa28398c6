#include "host/steering.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "host/library_variables.h"

namespace breakeven {
namespace {

constexpr std::array<std::string_view, 5> of_places{"_HOME", "_PATH", "_ROOT", "_DIR", "_FILE"};

bool steers(std::string_view name) {
  const auto& libraries = library_variables();
  return std::any_of(libraries.begin(), libraries.end(),
                     [&](const LibraryVariables& one) {
                       return std::any_of(one.beginnings.begin(), one.beginnings.end(),
                                          [&](auto beginning) { return name.starts_with(beginning); });
                     }) &&
         std::none_of(of_places.begin(), of_places.end(), [&](auto one) { return name.ends_with(one); });
}

}  // namespace

std::map<std::string, std::string> steering_variables(const char* const* environment) {
  std::map<std::string, std::string> found;
  for (const char* const* entry = environment; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const auto equals = text.find('=');
    if (equals == std::string_view::npos || !steers(text.substr(0, equals))) continue;
    found.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return found;
}

}  // namespace breakeven
