// breakeven man: the manual page, generated from the options. The build installs it.
#include <fmt/format.h>

#include <iostream>

#include "cli/option_text.h"
#include "cli/subcommand.h"
#include "version.h"

namespace breakeven {
namespace {

/// Escapes text for groff, so that nothing in it is a request or an escape.
std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '\\') {
      safe += "\\e";
    } else if (c == '-') {
      safe += "\\-";
    } else if ((c == '.' || c == '\'') && (safe.empty() || safe.back() == '\n')) {
      safe += fmt::format("\\&{}", c);
    } else {
      safe += c;
    }
  }
  return safe;
}

std::string bold(const std::string& text) {
  return fmt::format("\\fB{}\\fR", escaped(text));
}

std::string italic(const std::string& text) {
  return fmt::format("\\fI{}\\fR", escaped(text));
}

std::string entry(const std::string& head, const std::string& text) {
  return fmt::format(".TP\n{}\n{}\n", head, escaped(text));
}

std::string describe_options(const CLI::App& app) {
  std::string text;
  for (const CLI::Option* option : shown_positionals(app))
    text += entry(italic(option_names(*option)), option_description(*option));
  for (const CLI::Option* option : shown_options(app)) {
    const std::string value = value_word(*option);
    text += entry(bold(option_names(*option)) + (value.empty() ? "" : " " + italic(value)),
                  option_description(*option));
  }
  return text;
}

std::string synopsis(const CLI::App& app) {
  std::string text = bold(full_name(app)) + " [" + italic("OPTIONS") + "]";
  if (!shown_subcommands(app).empty()) text += " " + italic("COMMAND");
  for (const CLI::Option* option : shown_positionals(app)) {
    const std::string name = italic(option_names(*option));
    text += option->get_required() ? " " + name : fmt::format(" [{}]", name);
  }
  return text;
}

/// Describes a command and its subcommands.
std::string describe_command(const CLI::App& app) {
  std::string text =
      fmt::format(".SS {}\n{}\n.PP\n{}\n{}.PP\n{}\n", escaped(full_name(app)), synopsis(app),
                  escaped(app.get_description()), describe_options(app), escaped(app.get_footer()));
  for (const CLI::App* inner : shown_subcommands(app)) text += describe_command(*inner);
  return text;
}

std::string manual(const CLI::App& root) {
  std::string text = fmt::format(".TH BREAKEVEN 1 \"\" \"breakeven {}\" \"User Commands\"\n", version);
  text += fmt::format(".SH NAME\nbreakeven \\- {}\n", escaped(root.get_description()));
  text += fmt::format(".SH SYNOPSIS\n{}\n", synopsis(root));
  text += fmt::format(".SH OPTIONS\n{}", describe_options(root));
  text += ".SH COMMANDS\n";
  for (const CLI::App* command : shown_subcommands(root)) text += describe_command(*command);
  text += fmt::format(".SH EXIT STATUS\n{}\n", escaped(root.get_footer()));
  text += ".SH ENVIRONMENT\n";
  text += entry(bold("BREAKEVEN_BACKENDS"),
                "Folders with further backend programs, separated by colons. Their programs go before those "
                "of the same name elsewhere.");
  text += entry(bold("NO_COLOR"), "Where it is set, the output has no colours.");
  text += ".SH FILES\n";
  text += entry(italic("results/HOST/CONFIG.json"),
                "Results, under the current folder. `breakeven report CONFIG` finds them by name.");
  text +=
      entry(italic("configs/NAME.json"),
            "Configs. They are looked for in the current folder and in the installation; `breakeven list` "
            "shows them.");
  return text;
}

const SubcommandRegistration man_command({"man", "print the manual page, for man(1)", [](CLI::App& command) {
                                            command.group("");  // for the build, so help does not show it
                                            return [root = command.get_parent()] {
                                              std::cout << manual(*root);
                                              return exit_code::good;
                                            };
                                          }});

}  // namespace
}  // namespace breakeven
