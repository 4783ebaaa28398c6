#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace breakeven {

/// The command that the shells' completion scripts call: `breakeven __complete WORDS...`. It is not intended
/// for users.
inline constexpr const char* complete_command = "__complete";

/// Candidates for the last of `words`, which are the words after the program's name: one per line, with its
/// meaning after a tab. The line ":files" means that the shell completes file names.
std::string completions_text(const CLI::App& app, const std::vector<std::string>& words);

}  // namespace breakeven
