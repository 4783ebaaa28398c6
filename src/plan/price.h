// The price of a machine, as the user gives it. No price is built in, because prices change and differ by
// place.
#pragma once

#include <string>

#include "plan/json_file.h"

namespace breakeven {

/// The source and date of a price. Every price has them: it means nothing without.
struct PriceSource {
  std::string currency;  // as the user writes it, such as "USD"
  std::string source;    // such as a URL, an offer or an invoice
  std::string date;      // ISO 8601: YYYY-MM-DD
};

/// Reads an amount above 0 at `object[key]`. Throws ConfigError.
double read_amount(const Json& object, const Place& place, const std::string& key);
/// True for a day that exists, as YYYY-MM-DD.
bool is_date(const std::string& text);

/// Reads the required members `currency`, `source` and `date` of `object`. Throws ConfigError.
PriceSource read_price_source(const Json& object, const Place& place);

/// The price of renting a machine, per hour.
struct HourlyPrice {
  double per_hour = 0;
  PriceSource from;
};

/// Reads `{"per_hour": 2.95, "currency": "USD", "source": "...", "date": "2026-10-01"}`. Throws ConfigError.
HourlyPrice read_hourly_price(const Json& object, const Place& place);

}  // namespace breakeven
