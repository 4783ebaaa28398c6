#include "plan/device_catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "plan/json_file.h"
#include "plan/price.h"
#include "workloads/dtype.h"

namespace breakeven {
namespace {

DeviceEntry::Peak read_peak(const Json& json, const Place& place) {
  require_object(json, place, {"tflops", "sparse_tflops", "accumulate"});
  DeviceEntry::Peak peak{.flop_per_second = 1e12 * read_amount(json, place, "tflops"),
                         .sparse_flop_per_second = {},
                         .accumulate = require_text(json, place, "accumulate")};
  if (json.contains("sparse_tflops"))
    peak.sparse_flop_per_second = 1e12 * read_amount(json, place, "sparse_tflops");
  return peak;
}

DeviceEntry read_device(const Json& json, const Place& place) {
  require_object(json, place,
                 {"name", "memory_gib", "architecture", "form", "watts", "memory_gb_per_second", "peaks",
                  "source", "date"});
  DeviceEntry entry{.name = require_text(json, place, "name"),
                    .memory_gib = read_amount(json, place, "memory_gib"),
                    .architecture = require_text(json, place, "architecture"),
                    .form = require_text(json, place, "form"),
                    .watts = read_amount(json, place, "watts"),
                    .bytes_per_second = 1e9 * read_amount(json, place, "memory_gb_per_second"),
                    .peaks = {},
                    .source = require_text(json, place, "source"),
                    .date = require_text(json, place, "date")};
  if (!json.contains("peaks") || !json["peaks"].is_object() || json["peaks"].empty())
    (place / "peaks").fail("must be an object of peaks by dtype");
  for (const auto& [dtype, peak] : json["peaks"].items()) {
    if (!parse_dtype(dtype)) (place / "peaks" / dtype).fail("is no dtype");
    entry.peaks[dtype] = read_peak(peak, place / "peaks" / dtype);
  }
  return entry;
}

}  // namespace

DeviceCatalogue read_device_catalogue(const std::filesystem::path& path) {
  const JsonFile file = read_json(path);
  const Place root(path.string());
  require_object(file.document, root, {"about", "devices"});
  if (!file.document.contains("devices") || !file.document["devices"].is_array())
    root.fail("'devices' is missing; it must be a list");
  DeviceCatalogue catalogue;
  for (std::size_t i = 0; i < file.document["devices"].size(); ++i)
    catalogue.push_back(read_device(file.document["devices"][i], root / "devices" / i));
  return catalogue;
}

const DeviceEntry* find_device(const DeviceCatalogue& catalogue, std::string_view name,
                               std::int64_t memory_bytes) {
  const double gib = static_cast<double>(memory_bytes) / 0x1p30;
  const auto found = std::find_if(catalogue.begin(), catalogue.end(), [&](const DeviceEntry& entry) {
    return entry.name == name && std::abs(gib / entry.memory_gib - 1) < 0.1;
  });
  return found == catalogue.end() ? nullptr : &*found;
}

}  // namespace breakeven
