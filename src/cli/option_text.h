// Texts about an option for help, the man page and completion. All three are made from the options
// themselves.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace breakeven {

/// "-h, --help"; for a positional "CONFIG...".
std::string option_names(const CLI::Option& option);

bool takes_value(const CLI::Option& option);

/// The word for its value, such as FILE or N; empty for a flag.
std::string value_word(const CLI::Option& option);

/// The values that it takes if they are few, else empty.
std::vector<std::string> choices(const CLI::Option& option);

/// Its description, with the choices and the default value.
std::string option_description(const CLI::Option& option);

/// Options and positionals that help shows: those in a group.
std::vector<const CLI::Option*> shown_options(const CLI::App& app);
std::vector<const CLI::Option*> shown_positionals(const CLI::App& app);
std::vector<const CLI::App*> shown_subcommands(const CLI::App& app);

/// "breakeven run"; `app` itself for the root.
std::string full_name(const CLI::App& app);

}  // namespace breakeven
