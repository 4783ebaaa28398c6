#include "results/algorithm.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string.hpp>
#include <vector>

namespace breakeven {
namespace {

/// True for "winograd took 1.3x", "im2col failed" and "tuned: best of 5 ways".
bool is_about_race(std::string_view part) {
  if (part.starts_with("tuned: ") || part.ends_with(" not tried") || part.ends_with(" failed")) return true;
  const std::size_t found = part.rfind(" took ");
  if (found == std::string_view::npos || !part.ends_with("x")) return false;
  std::string_view factor = part.substr(found + std::string_view(" took ").size());
  factor.remove_suffix(1);
  return !factor.empty() && factor.find_first_not_of("0123456789.e+") == std::string_view::npos;
}

/// The parts that say nothing of a race, each without such a remark in parentheses at its end.
std::string without_race(const std::string& text, const std::string& separator) {
  std::vector<std::string> parts;
  boost::iter_split(parts, text, boost::first_finder(separator));
  parts.erase(std::remove_if(parts.begin() + 1, parts.end(), is_about_race), parts.end());
  for (std::string& part : parts) {
    const std::size_t open = part.rfind(" (");
    if (open == std::string::npos || !part.ends_with(")")) continue;
    if (is_about_race(std::string_view(part).substr(open + 2, part.size() - open - 3))) part.resize(open);
  }
  return boost::join(parts, separator);
}

}  // namespace

std::string chosen_algorithm(std::string_view algorithm) {
  // Semicolons first: they separate names that contain commas.
  return without_race(without_race(std::string(algorithm), "; "), ", ");
}

std::string algorithm_with_threads(const CaseResult& result) {
  if (!result.threads) return result.algorithm;
  return fmt::format("{}{}{} of {} threads", result.algorithm, result.algorithm.empty() ? "" : "; ",
                     result.threads->chosen, result.threads->of);
}

}  // namespace breakeven
