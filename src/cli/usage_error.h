#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

namespace breakeven {

/// A message about an option or command on the parsed command line that does not exist, with the probably
/// intended word; empty if all exist. It takes precedence over every other error, which it may have caused.
std::optional<std::string> find_unknown_word(const CLI::App& app);

/// The message for an invalid command line: what is wrong, and what to do.
std::string usage_error(const CLI::App& app, const CLI::ParseError& error);

}  // namespace breakeven
