// The regular expressions of --filter.
#pragma once

#include <re2/re2.h>

#include <stdexcept>
#include <string>
#include <string_view>

namespace breakeven {

/// Thrown for what is not a regular expression that Filter can search. The message names the
/// option and the place, and says what is supported instead.
class FilterError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A regular expression in RE2's syntax, which is Perl's without lookaround and references to groups: a
/// search takes time in proportion to the length of the text, whatever the pattern is.
class Filter {
 public:
  /// Throws FilterError.
  explicit Filter(const std::string& pattern);
  /// True if the expression matches some part of `text`. An empty expression always does.
  bool finds(std::string_view text) const;

 private:
  RE2 expression_;
};

}  // namespace breakeven
