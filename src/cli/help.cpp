// breakeven help [COMMAND...]: the same as COMMAND --help.
#include "cli/help.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iostream>
#include <memory>

#include "cli/option_text.h"
#include "cli/subcommand.h"
#include "plan/suggestion.h"
#include "reports/text.h"

namespace breakeven {

std::string HelpFormatter::two_columns(const std::string& left, const std::string& right) const {
  constexpr std::size_t indent = 2;
  constexpr std::size_t left_width = 24;
  std::string text(indent, ' ');
  text += left;
  bool first = left.size() + 1 <= left_width;
  if (!first) text += '\n';
  for (const std::string& line : wrap(right, width_ - left_width - indent)) {
    text += std::string(first ? left_width - left.size() : left_width + indent, ' ') + line + '\n';
    first = false;
  }
  return text;
}

std::string HelpFormatter::paragraph(const std::string& text) const {
  return fmt::format("{}\n", fmt::join(wrap(text, width_), "\n"));
}

std::string HelpFormatter::make_help(const CLI::App* app, std::string name,
                                     CLI::AppFormatMode /*mode*/) const {
  const auto positionals = shown_positionals(*app);
  const auto commands = shown_subcommands(*app);
  std::string text = paragraph(app->get_description()) + "Usage: " + name + " [OPTIONS]";
  for (const CLI::Option* option : positionals) text += " " + make_option_usage(option);
  text += commands.empty() ? "\n" : " COMMAND\n";
  if (!positionals.empty()) text += "\nPositionals:\n";
  for (const CLI::Option* option : positionals)
    text += two_columns(option_names(*option), option_description(*option));
  text += "\nOptions:\n";
  for (const CLI::Option* option : shown_options(*app)) {
    const std::string value = value_word(*option);
    text +=
        two_columns(option_names(*option) + (value.empty() ? "" : " ") + value, option_description(*option));
  }
  if (!commands.empty()) text += "\nSubcommands:\n";
  for (const CLI::App* command : commands)
    text += two_columns(command->get_name(), command->get_description());
  return text + "\n" + paragraph(app->get_footer());
}

std::string help_of(const CLI::App& app) {
  return app.get_formatter()->make_help(&app, full_name(app), CLI::AppFormatMode::Normal);
}

namespace {

const CLI::App& find_command(const CLI::App& root, const std::vector<std::string>& words) {
  const CLI::App* found = &root;
  for (const std::string& word : words) {
    const auto matches =
        found->get_subcommands([&](const CLI::App* command) { return command->check_name(word); });
    if (matches.empty()) {
      const std::string near = did_you_mean(word, subcommand_names(*found));
      throw CommandError("help: there is no command '{}'{}", word,
                         near.empty() ? "; 'breakeven help' shows all" : near);
    }
    found = matches.front();
  }
  return *found;
}

const SubcommandRegistration help_command(
    {"help", "show what a command does and which options it has", [](CLI::App& command) {
       auto words = std::make_shared<std::vector<std::string>>();
       command.add_option("COMMAND", *words, "the command, as in `breakeven help run`")->type_name("COMMAND");
       return [words, root = command.get_parent()] {
         std::cout << help_of(find_command(*root, *words));
         return exit_code::good;
       };
     }});

}  // namespace
}  // namespace breakeven
