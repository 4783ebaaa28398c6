#include "cli/option_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>

namespace breakeven {

std::string option_names(const CLI::Option& option) {
  if (option.get_positional()) {
    const bool many = option.get_items_expected_max() > 1;
    return option.get_name(true, false) + (many ? "..." : "");
  }
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return fmt::format("{}", fmt::join(names, ", "));
}

bool takes_value(const CLI::Option& option) {
  return option.get_items_expected_max() > 0;
}

std::string value_word(const CLI::Option& option) {
  if (!takes_value(option)) return {};
  // The name of the type. After a colon follow the descriptions of checks.
  const std::string type = option.get_type_name();
  const std::string name = type.substr(0, type.find(':'));
  if (name == "FLOAT") return "NUMBER";
  if (name == "INT" || name == "UINT") return "N";
  return name.empty() ? "VALUE" : name;
}

std::vector<std::string> choices(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const auto open = type.find('{');
  const auto close = type.find('}');
  std::vector<std::string> found;
  if (open == std::string::npos || close == std::string::npos || close < open) return found;
  std::istringstream list(type.substr(open + 1, close - open - 1));
  for (std::string one; std::getline(list, one, ',');) found.push_back(one);
  return found;
}

std::string option_description(const CLI::Option& option) {
  std::string text = option.get_description();
  std::vector<std::string> unsaid = choices(option);
  std::erase_if(unsaid, [&](const std::string& choice) { return text.find(choice) != std::string::npos; });
  if (!unsaid.empty()) text += fmt::format("; one of {}", fmt::join(choices(option), ", "));
  if (!option.get_default_str().empty()) text += fmt::format("; default: {}", option.get_default_str());
  return text;
}

std::vector<const CLI::Option*> shown_options(const CLI::App& app) {
  return app.get_options(
      [](const CLI::Option* option) { return option->nonpositional() && !option->get_group().empty(); });
}

std::vector<const CLI::Option*> shown_positionals(const CLI::App& app) {
  return app.get_options(
      [](const CLI::Option* option) { return option->get_positional() && !option->get_group().empty(); });
}

std::vector<const CLI::App*> shown_subcommands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
}

std::vector<std::string> subcommand_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : shown_subcommands(app)) names.push_back(command->get_name());
  return names;
}

std::string full_name(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name() : full_name(*app.get_parent()) + " " + app.get_name();
}

}  // namespace breakeven
