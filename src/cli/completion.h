#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace breakeven {

/// `breakeven __complete WORDS...` is what the shells' scripts call: for them, not for people.
inline constexpr const char* complete_command = "__complete";

/// What may stand in place of the last of `words`, those that follow the program's name: a candidate a line,
/// and behind a tab what it means. The line ":files" stands for the names of files.
std::string completions_text(const CLI::App& app, const std::vector<std::string>& words);

}  // namespace breakeven
