// A user's file of prices, by which machines are ranked in cost.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "plan/price.h"

namespace breakeven {

/// The price of renting or buying one machine or GPU.
struct Offer {
  std::string name;               // such as an instance type
  std::string machine = {};       // a machine's name in rankings; empty: any
  std::string device;             // a GPU's name or a CPU's model, exactly as in results; empty: any
  std::string host;               // a machine's name; empty: any; without a device, of its processors
  std::optional<int> cpus;        // of the machine; absent: any
  std::string cpu_identity = {};  // exactly as in results (host/cpu.h); empty: any
  std::optional<double> per_hour, purchase;  // at least one of them
  PriceSource from;
};

struct Electricity {
  double per_kwh = 0;
  PriceSource from;
};

struct Prices {
  std::string currency;  // of all offers
  std::vector<Offer> offers;
  std::optional<Electricity> electricity;
};

/// Reads a file of prices. Throws ConfigError, also if currencies are mixed.
Prices read_prices(const std::filesystem::path& path);

}  // namespace breakeven
