#include "results/algorithm_text.h"

#include <regex>

namespace breakeven {

std::string algorithm_without_times(std::string_view algorithm) {
  static const std::regex time(" took [0-9][0-9.e+]*x");
  return std::regex_replace(std::string(algorithm), time, "");
}

}  // namespace breakeven
