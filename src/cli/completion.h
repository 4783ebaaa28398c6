#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace breakeven {

/// The shells' completion scripts call `breakeven __complete WORDS...`. It is not meant for people.
inline constexpr const char* complete_command = "__complete";

/// Candidates for the last of `words`, which are the words after the program's name: one per line, with its
/// meaning after a tab. The line ":files" stands for file names.
std::string completions_text(const CLI::App& app, const std::vector<std::string>& words);

}  // namespace breakeven
