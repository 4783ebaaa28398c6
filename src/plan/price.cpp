#include "plan/price.h"

#include <chrono>
#include <regex>

namespace breakeven {

bool is_date(const std::string& text) {
  static const std::regex form("([0-9]{4})-([0-9]{2})-([0-9]{2})");
  std::smatch parts;
  if (!std::regex_match(text, parts, form)) return false;
  const auto number = [&](std::size_t part) { return std::stoi(parts[part]); };
  return (std::chrono::year(number(1)) / number(2) / number(3)).ok();
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
