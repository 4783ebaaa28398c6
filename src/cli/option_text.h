// Texts about an option for help, the man page and completion, all generated from the option itself.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace breakeven {

/// The names of an option, such as "-h, --help"; for a positional "CONFIG...".
std::string option_names(const CLI::Option& option);

bool takes_value(const CLI::Option& option);

/// The word for its value, such as FILE or N; empty for a flag.
std::string value_word(const CLI::Option& option);

/// The values that it accepts if they are few, otherwise empty.
std::vector<std::string> choices(const CLI::Option& option);

/// Its description, with the choices and the default value.
std::string option_description(const CLI::Option& option);

/// The options and positionals that help shows, which are those in a group.
std::vector<const CLI::Option*> shown_options(const CLI::App& app);
std::vector<const CLI::Option*> shown_positionals(const CLI::App& app);
std::vector<const CLI::App*> shown_subcommands(const CLI::App& app);
std::vector<std::string> subcommand_names(const CLI::App& app);

/// The full name of a command, such as "breakeven run"; for the root, the program's own name.
std::string full_name(const CLI::App& app);

}  // namespace breakeven
