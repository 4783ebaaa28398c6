#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

namespace breakeven {

/// An option or a command that does not exist, with what was meant, if the parsed command line has one. This
/// goes before every other fault of it, which it may well have caused.
std::optional<std::string> find_unknown_word(const CLI::App& app);

/// What is wrong with the command line, and what to do.
std::string usage_error(const CLI::App& app, const CLI::ParseError& error);

}  // namespace breakeven
