// What a machine costs, by whoever gives the price: no price is built in, as they change and differ by place.
#pragma once

#include <string>

#include "plan/json_file.h"

namespace breakeven {

/// Where a price was found, and when: without that it says nothing.
struct PriceSource {
  std::string currency;  // as the user writes it, such as "USD"
  std::string source;    // an address, an offer, an invoice
  std::string date;      // ISO 8601: YYYY-MM-DD
};

/// An amount above 0 at `object[key]`. Throws ConfigError.
double read_amount(const Json& object, const Place& place, const std::string& key);
/// `currency`, `source` and `date` of `object`, all of which must be there. Throws ConfigError.
PriceSource read_price_source(const Json& object, const Place& place);

/// Of renting a machine by time.
struct HourlyPrice {
  double per_hour = 0;
  PriceSource from;
};

/// `{"per_hour": 2.95, "currency": "USD", "source": "...", "date": "2026-10-01"}`. Throws ConfigError.
HourlyPrice read_hourly_price(const Json& object, const Place& place);

}  // namespace breakeven
