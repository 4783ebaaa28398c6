#include "cli/usage_error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "cli/option_text.h"
#include "plan/suggestion.h"

namespace breakeven {
namespace {

/// The program and the subcommands that were given, outermost first.
std::vector<const CLI::App*> parsed_commands(const CLI::App& app) {
  std::vector<const CLI::App*> all{&app};
  while (!all.back()->get_subcommands().empty()) all.push_back(all.back()->get_subcommands().front());
  return all;
}

std::string see_help(const CLI::App& app) {
  return fmt::format("; '{} --help' shows its options", full_name(app));
}

std::string or_else(const std::string& suggestion, const std::string& otherwise) {
  return suggestion.empty() ? otherwise : suggestion;
}

std::string unknown_option(const CLI::App& app, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  std::vector<std::string> known;
  for (const CLI::Option* option : shown_options(app)) {
    for (const std::string& one : option->get_lnames()) known.push_back("--" + one);
  }
  return fmt::format("{}: there is no option '{}'{}", full_name(app), name,
                     or_else(did_you_mean(name, known), see_help(app)));
}

std::string unknown_command(const CLI::App& app, const std::string& word) {
  const std::vector<std::string> known = subcommand_names(app);
  return fmt::format("{}: there is no command '{}'{}", full_name(app), word,
                     or_else(did_you_mean(word, known), fmt::format("; it has {}", fmt::join(known, ", "))));
}

/// Rewrites CLI11's sentences in plain words. They begin with the name of an option.
std::string plain(const CLI::App& app, const CLI::ParseError& error) {
  std::string what = error.what();
  const std::string kind = error.get_name();
  if (kind == "ConversionError") {  // "Could not convert: --threads = two"
    const auto colon = what.find(": ");
    const auto equals = what.find(" = ");
    if (colon != std::string::npos && equals != std::string::npos && colon < equals) {
      const std::string name = what.substr(colon + 2, equals - colon - 2);
      const CLI::Option* option = app.get_option_no_throw(name);
      const bool whole = option != nullptr && value_word(*option) == "N";
      return fmt::format("{}: '{}' is no {}number", name, what.substr(equals + 3), whole ? "whole " : "");
    }
  }
  const std::string name = what.substr(0, what.find_first_of(": "));
  if (const CLI::Option* option = app.get_option_no_throw(name);
      kind == "ArgumentMismatch" && option != nullptr) {
    if (option->get_expected_min() > 1)
      return fmt::format("{} needs {} values at once", name, option->get_expected_min());
    return what.find("missing") != std::string::npos ? fmt::format("{} needs a value", name)
                                                     : fmt::format("{} may be given only once", name);
  }
  if (kind == "ValidationError") {
    const CLI::Option* option = app.get_option_no_throw(name);
    const auto value_end = what.find(" not in {");  // "--by: tme not in {time,energy,cost}"
    if (option != nullptr && value_end != std::string::npos && value_end > name.size() + 2) {
      const std::string value = what.substr(name.size() + 2, value_end - name.size() - 2);
      const auto known = choices(*option);
      return fmt::format(
          "{}: there is no '{}'{}", name, value,
          or_else(did_you_mean(value, known), fmt::format("; it is one of {}", fmt::join(known, ", "))));
    }
  }
  if (kind == "ExcludesError") {  // "--from-results excludes --filter"
    const auto excludes = what.find(" excludes ");
    if (excludes != std::string::npos) return what.replace(excludes, 10, " cannot be used with ");
  }
  if (kind == "RequiredError") {
    const auto end = what.rfind(" is required");
    if (end != std::string::npos) return fmt::format("{} is missing", what.substr(0, end));
  }
  return what;
}

}  // namespace

std::optional<std::string> find_unknown_word(const CLI::App& app) {
  const auto commands = parsed_commands(app);
  for (const CLI::App* command : commands) {
    for (const std::string& word : command->remaining()) {
      if (word.size() > 1 && word.front() == '-' && word != "--") return unknown_option(*command, word);
    }
  }
  const CLI::App& last = *commands.back();
  for (const std::string& word : last.remaining()) {
    if (word == "--") continue;
    return last.get_require_subcommand_min() > 0
               ? unknown_command(last, word)
               : fmt::format("{}: '{}' is one argument too many{}", full_name(last), word, see_help(last));
  }
  return std::nullopt;
}

std::string usage_error(const CLI::App& app, const CLI::ParseError& error) {
  if (const auto unknown = find_unknown_word(app)) return *unknown;
  const CLI::App& last = *parsed_commands(app).back();
  if (last.get_require_subcommand_min() > 0 && last.get_subcommands().empty() &&
      error.get_name() == "RequiredError") {
    return fmt::format("{}: name a command: {}", full_name(last), fmt::join(subcommand_names(last), ", "));
  }
  const std::string what = plain(last, error);
  return fmt::format("{}: {}{}", full_name(last), what, what.ends_with('?') ? "" : see_help(last));
}

}  // namespace breakeven
