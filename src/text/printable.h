// Makes text that files, programs and users gave safe to show: in reports, in messages, and in the log of a
// CI system, which obeys lines that look like its commands.
#pragma once

#include <string>
#include <string_view>

namespace breakeven {

/// Takes the next character off the front of `text`; U+FFFD for a byte that is not UTF-8.
char32_t next_character(std::string_view& text);

/// For reports: one line of valid UTF-8 that only puts characters side by side. White space becomes single
/// spaces; control characters (ESC among them), invisible ones and those that change the direction of writing
/// are left out; bytes that are not UTF-8 become U+FFFD.
std::string printable(std::string_view text);

/// For messages: one line of at most `most` bytes. What printable() leaves out is spelt out, as in \x1b, so
/// that the reader finds it. Too long a text loses its middle: it begins with the place, and ends with the
/// remedy.
std::string message_line(std::string_view text, std::size_t most = 500);

/// Lines as they are, but none that GitHub Actions, Azure Pipelines or TeamCity obeys: `::error::` at a
/// line's beginning, and `##[`, `##vso[` and `##teamcity[` anywhere, get a space in their midst.
std::string without_ci_commands(std::string_view lines);

/// Lines of which each is printable, with its spaces as they are, and without_ci_commands().
std::string printable_lines(std::string_view lines);

}  // namespace breakeven
