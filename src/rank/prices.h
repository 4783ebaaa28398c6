// A file of prices, given by the user: what machines are ranked by in cost.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "plan/price.h"

namespace breakeven {

/// Of one machine or GPU, to rent or to buy.
struct Offer {
  std::string name;               // such as an instance type
  std::string device;             // a GPU's name or a CPU's model, exactly as results have it; empty: any
  std::string host;               // a machine's name; empty: any
  std::optional<int> cpus;        // of the machine; absent: any number
  std::string cpu_identity = {};  // of its processors, exactly as results have it; empty: any
  std::optional<double> per_hour, purchase;  // one of both, or both
  PriceSource from;
};

struct Electricity {
  double per_kwh = 0;
  PriceSource from;
};

struct Prices {
  std::string currency;  // of all of them
  std::vector<Offer> offers;
  std::optional<Electricity> electricity;
};

/// Throws ConfigError, also where currencies are mixed.
Prices read_prices(const std::filesystem::path& path);

}  // namespace breakeven
