#include "results/filter.h"

#include <fmt/format.h>

#include "text/printable.h"

namespace breakeven {
namespace {

/// True if the expression looks ahead or behind. RE2 calls the beginning of either the part at fault.
bool looks_around(const std::string& pattern, const std::string& part) {
  const auto has = [&](const char* beginning) { return pattern.find(beginning) != std::string::npos; };
  return part == "(?=" || part == "(?!" || (part == "(?<" && (has("(?<=") || has("(?<!")));
}

/// Says what is wrong with `part` of the expression, and the remedy.
std::string fault_of(RE2::ErrorCode code, const std::string& pattern, const std::string& part) {
  const bool is_reference = part.size() == 2 && part[1] >= '1' && part[1] <= '9';
  switch (code) {
    case RE2::ErrorBadEscape:
      if (is_reference || part == "\\k")
        return "refers back to a group, which is not supported, because a search could take for ever; write "
               "out what is repeated";
      return "is not an escape sequence; write \\\\ for a backslash";
    case RE2::ErrorBadCharClass:
    case RE2::ErrorBadCharRange:
      return "is not a class or range of characters, as in [a-z]; correct it, or write \\[ for a bracket";
    case RE2::ErrorMissingBracket:
      return "has no closing ]; add it, or write \\[ for a bracket";
    case RE2::ErrorMissingParen:
      return "has an opening ( without a closing ); add it, or write \\( for a bracket";
    case RE2::ErrorUnexpectedParen:
      return "has a closing ) without an opening (; add it, or write \\) for a bracket";
    case RE2::ErrorTrailingBackslash:
      return "ends with a single backslash; write \\\\ for a backslash";
    case RE2::ErrorRepeatArgument:
      return "repeats nothing; write what is repeated before it, as in .*";
    case RE2::ErrorRepeatOp:
      return "repeats a repetition; leave one out";
    case RE2::ErrorRepeatSize:
      return "must be from 0 to 1000 repetitions in all, with the smaller number first";
    case RE2::ErrorBadPerlOp:
    case RE2::ErrorBadNamedCapture:
      if (looks_around(pattern, part))
        return "looks ahead or behind, which is not supported, because a search could take for ever; write "
               "it "
               "without";
      return "is not a kind of group; write (?: for a group, or \\( for a bracket";
    case RE2::ErrorBadUTF8:
      return "is not UTF-8";
    case RE2::ErrorPatternTooLarge:
      return "is too large; shorten it, or repeat less often";
    default:
      return "is not a regular expression";
  }
}

}  // namespace

Filter::Filter(const std::string& pattern) : expression_(pattern, RE2::Quiet) {
  if (expression_.ok()) return;
  const std::string& part = expression_.error_arg();
  const std::string problem = fault_of(expression_.error_code(), pattern, part);
  const bool is_part = !part.empty() && part != pattern;
  throw FilterError(
      fmt::format("--filter {}: {}{}", printable(pattern), is_part ? "'" + part + "' " : "", problem));
}

bool Filter::finds(std::string_view text) const {
  return RE2::PartialMatch(text, expression_);
}

}  // namespace breakeven
