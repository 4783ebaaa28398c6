#include "plan/price.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <string_view>

namespace breakeven {
namespace {

/// Parses text that consists of digits alone.
template <typename T>
bool read_digits(std::string_view text, T& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && text.front() != '-';
}

bool is_date(std::string_view text) {
  int year = 0;
  unsigned month = 0;
  unsigned day = 0;
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  if (!read_digits(text.substr(0, 4), year) || !read_digits(text.substr(5, 2), month) ||
      !read_digits(text.substr(8), day))
    return false;
  return std::chrono::year_month_day(std::chrono::year(year), std::chrono::month(month),
                                     std::chrono::day(day))
      .ok();
}

}  // namespace

double read_amount(const Json& object, const Place& place, const std::string& key) {
  if (!object.contains(key)) place.fail("'{}' is missing; add it", key);
  return require_above_zero(object[key], place / key, "; leave an unknown price out, as nothing is free");
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
