// Finds the same changes as `history check` in series from standard input, one series of times per line, for
// bench/history_peers.py. Prints the positions at which a new level begins, one line per series.
//   bench-change-points THRESHOLD LEVEL < SERIES
#include "statistics/change_points.h"

#include <fmt/format.h>

#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

int main(int count, char** arguments) {
  if (count != 3) {
    fmt::print(stderr, "usage: bench-change-points THRESHOLD LEVEL < SERIES\n");
    return 2;
  }
  const double threshold = std::stod(arguments[1]);
  const double level = std::stod(arguments[2]);
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream text(line);
    std::vector<double> values;
    for (double value = 0; text >> value;) values.push_back(value);
    std::string found;
    for (const auto& point : breakeven::change_points(values, threshold, level))
      found += fmt::format("{}{}", found.empty() ? "" : " ", point.position);
    fmt::print("{}\n", found);
  }
}
