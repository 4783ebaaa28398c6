#include "rank/prices.h"

#include <limits>

namespace breakeven {
namespace {

Offer read_offer(const Json& json, const Place& place) {
  require_object(json, place,
                 {"name", "machine", "device", "host", "cpus", "cpu_identity", "per_hour", "purchase",
                  "currency", "source", "date"});
  Offer offer;
  if (json.contains("name")) offer.name = require_text(json, place, "name");
  if (json.contains("machine")) offer.machine = require_text(json, place, "machine");
  if (json.contains("device")) offer.device = require_text(json, place, "device");
  if (json.contains("host")) offer.host = require_text(json, place, "host");
  if (offer.machine.empty() && offer.device.empty() && offer.host.empty())
    place.fail(
        "says nothing of what it is the price of; add 'machine', its name as `breakeven rank` shows it, "
        "'device', the name of a GPU or CPU as `breakeven devices` shows it, or 'host'");
  if (json.contains("cpus"))
    offer.cpus =
        static_cast<int>(require_whole(json["cpus"], place / "cpus", std::numeric_limits<int>::max()));
  if (json.contains("cpu_identity")) offer.cpu_identity = require_text(json, place, "cpu_identity");
  if (json.contains("per_hour")) offer.per_hour = read_amount(json, place, "per_hour");
  if (json.contains("purchase")) offer.purchase = read_amount(json, place, "purchase");
  if (!offer.per_hour && !offer.purchase)
    place.fail("has no price; add 'per_hour', of renting it, or 'purchase', of buying it");
  offer.from = read_price_source(json, place);
  for (const std::string* name : {&offer.machine, &offer.device, &offer.host}) {
    if (offer.name.empty()) offer.name = *name;
  }
  return offer;
}

Electricity read_electricity(const Json& json, const Place& place) {
  require_object(json, place, {"per_kwh", "currency", "source", "date"});
  return {.per_kwh = read_amount(json, place, "per_kwh"), .from = read_price_source(json, place)};
}

}  // namespace

Prices read_prices(const std::filesystem::path& path) {
  const JsonFile file = read_json(path, FileKind::prices);
  const Json& document = file.document;
  const Place root(path.string());
  require_object(document, root, {"$schema", "prices", "electricity"});
  if (!document.contains("prices") || !document["prices"].is_array() || document["prices"].empty())
    root.fail(
        R"('prices' must be a list of at least one price, such as {"device": "NVIDIA L4", "per_hour": 0.8, "currency": "USD", "source": "where it says so", "date": "2026-10-01"})");
  Prices prices;
  const auto check_currency = [&](const std::string& currency, const Place& place) {
    if (prices.currency.empty()) prices.currency = currency;
    if (currency != prices.currency)
      (place / "currency")
          .fail("is '{}', and that of the prices before it is '{}'; convert them to one", currency,
                prices.currency);
  };
  for (std::size_t i = 0; i < document["prices"].size(); ++i) {
    const Place place = root / "prices" / i;
    prices.offers.push_back(read_offer(document["prices"][i], place));
    check_currency(prices.offers.back().from.currency, place);
  }
  if (document.contains("electricity")) {
    prices.electricity = read_electricity(document["electricity"], root / "electricity");
    check_currency(prices.electricity->from.currency, root / "electricity");
  }
  return prices;
}

}  // namespace breakeven
