// Makes text from files, programs and users safe to show in reports, in messages, and in the log of a CI
// system, which executes lines that look like its commands.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace breakeven {

/// Removes the next character from the front of `text` and returns it; U+FFFD for a byte that is not UTF-8.
char32_t next_character(std::string_view& text);

/// The characters of `text` that lie completely in its first `size` bytes.
std::string_view first_characters(std::string_view text, std::size_t size);

/// Returns `text` for reports, as one line of valid UTF-8. White space becomes single spaces. Control
/// characters (including ESC), invisible characters and those that change the direction of writing are
/// removed. Bytes that are not UTF-8 become U+FFFD.
std::string printable(std::string_view text);

/// Returns `text` for messages, as one line of at most `most` bytes. Characters that printable() removes
/// become escape sequences such as \x1b, so that the reader finds them. Text that is too long loses its
/// middle, because messages begin with the place and end with the remedy.
std::string message_line(std::string_view text, std::size_t most = 500);

/// Returns `lines` without commands of GitHub Actions, Azure Pipelines or TeamCity: `::error::` at the
/// beginning of a line, and `##[`, `##vso[` and `##teamcity[` anywhere, get a space inside.
std::string without_ci_commands(std::string_view lines);

/// Makes each line printable() but keeps its spaces, and applies without_ci_commands().
std::string printable_lines(std::string_view lines);

}  // namespace breakeven
