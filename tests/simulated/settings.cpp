#include "simulated/settings.h"

#include <fmt/format.h>

#include <sstream>

namespace breakeven::simulated {

Settings::Settings(const std::string& text) {
  std::istringstream in(text);
  for (std::string pair; std::getline(in, pair, ',');) {
    const auto middle = pair.find('=');
    if (middle == std::string::npos)
      throw SettingsError(fmt::format("BREAKEVEN_SIMULATED: '{}' is not key=value", pair));
    if (!values_.emplace(pair.substr(0, middle), pair.substr(middle + 1)).second)
      throw SettingsError(fmt::format("BREAKEVEN_SIMULATED: '{}' is given twice", pair.substr(0, middle)));
  }
}

std::string Settings::take_text(const std::string& key, const std::string& otherwise) {
  const auto node = values_.extract(key);
  return node.empty() ? otherwise : node.mapped();
}

double Settings::take_number(const std::string& key, double otherwise) {
  const auto node = values_.extract(key);
  if (node.empty()) return otherwise;
  std::istringstream in(node.mapped());
  double value = 0;
  if (!(in >> value) || !in.eof())
    throw SettingsError(fmt::format("BREAKEVEN_SIMULATED: {}={} is no number", key, node.mapped()));
  return value;
}

std::int64_t Settings::take_integer(const std::string& key, std::int64_t otherwise) {
  return static_cast<std::int64_t>(take_number(key, static_cast<double>(otherwise)));
}

void Settings::expect_nothing_left() const {
  if (!values_.empty())
    throw SettingsError(fmt::format("BREAKEVEN_SIMULATED: unknown key '{}'", values_.begin()->first));
}

}  // namespace breakeven::simulated
