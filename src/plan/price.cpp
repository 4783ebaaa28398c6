#include "plan/price.h"

#include <re2/re2.h>

#include <chrono>

namespace breakeven {

bool is_date(const std::string& text) {
  static const RE2 form("([0-9]{4})-([0-9]{2})-([0-9]{2})");
  int year = 0, month = 0, day = 0;
  return RE2::FullMatch(text, form, &year, &month, &day) && (std::chrono::year(year) / month / day).ok();
}

double read_amount(const Json& object, const Place& place, const std::string& key) {
  return require_above_zero(require_member(object, place, key), place / key,
                            "; leave an unknown price out, as nothing is free");
}

PriceSource read_price_source(const Json& object, const Place& place) {
  PriceSource from{.currency = require_text(object, place, "currency"),
                   .source = require_text(object, place, "source"),
                   .date = require_text(object, place, "date")};
  if (!is_date(from.date))
    (place / "date").fail("is '{}'; it must be a day, as in \"2026-10-01\"", from.date);
  return from;
}

HourlyPrice read_hourly_price(const Json& object, const Place& place) {
  require_object(object, place, {"per_hour", "currency", "source", "date"});
  return {.per_hour = read_amount(object, place, "per_hour"), .from = read_price_source(object, place)};
}

}  // namespace breakeven
