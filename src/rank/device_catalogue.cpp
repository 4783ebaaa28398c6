#include "rank/device_catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "plan/json_file.h"
#include "plan/price.h"
#include "text/counted.h"
#include "workloads/dtype.h"

namespace breakeven {
namespace {

DeviceEntry::Peak read_peak(const Json& json, const Place& place) {
  require_object(json, place, {"tflops", "sparse_tflops", "accumulate"});
  DeviceEntry::Peak peak{.flop_per_second = 1e12 * read_amount(json, place, "tflops"),
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

// Limits that no real processor reaches.
constexpr int most_cores = 10'000;
constexpr int most_sockets = 256;

int read_count(const Json& json, const Place& place, const char* key, int most) {
  return static_cast<int>(require_whole(require_member(json, place, key), place / key, most));
}

/// Reads the entry of a machine with this number of sockets.
DeviceEntry read_processors(const Json& json, const Place& place, int sockets) {
  constexpr double channel_bytes = 8;
  const int cores = read_count(json, place, "cores", most_cores);
  const double cycles = 1e9 * read_amount(json, place, "ghz");
  const double transfers = 1e6 * read_amount(json, place, "memory_mega_transfers");
  DeviceEntry entry{
      .name = require_text(json, place, "name"),
      .cores = cores * sockets,
      .architecture = require_text(json, place, "architecture"),
      .form = fmt::format("{} socket{}", sockets, sockets == 1 ? "" : "s"),
      .watts = sockets * read_amount(json, place, "watts"),
      .bytes_per_second = sockets * read_amount(json, place, "memory_channels") * transfers * channel_bytes,
      .source = require_text(json, place, "source"),
      .date = require_text(json, place, "date")};
  const Place peaks = place / "operations_per_cycle";
  if (!json.contains("operations_per_cycle") || !json["operations_per_cycle"].is_object() ||
      json["operations_per_cycle"].empty())
    peaks.fail("must be an object of operations a core does in a cycle, by dtype");
  for (const auto& [key, value] : json["operations_per_cycle"].items()) {
    const auto dtype = parse_dtype(key);
    if (!dtype) (peaks / key).fail("is no dtype");
    entry.peaks[key] = {
        .flop_per_second = entry.cores * cycles * read_amount(json["operations_per_cycle"], peaks, key),
        .accumulate = std::string(facts(*dtype).accumulator.name)};
  }
  return entry;
}

void add_processors(DeviceCatalogue& catalogue, const Json& json, const Place& place) {
  require_object(json, place,
                 {"name", "cores", "sockets", "ghz", "operations_per_cycle", "memory_channels",
                  "memory_mega_transfers", "architecture", "watts", "source", "date"});
  const int sockets_at_most = read_count(json, place, "sockets", most_sockets);
  for (int sockets = 1; sockets <= sockets_at_most; ++sockets)
    catalogue.push_back(read_processors(json, place, sockets));
}

}  // namespace

std::string DeviceEntry::text() const {
  return is_cpu() ? fmt::format("{}, {}", name, counted_text(cores, "core", "cores"))
                  : fmt::format("{}, {:g} GiB", name, memory_gib);
}

DeviceCatalogue read_device_catalogue(const std::filesystem::path& path) {
  const JsonFile file = read_json(path, FileKind::device_catalogue);
  const Place root(path.string());
  require_object(file.document, root, {"about", "devices", "processors"});
  if (!file.document.contains("devices") || !file.document["devices"].is_array())
    root.fail("'devices' is missing; it must be a list");
  DeviceCatalogue catalogue;
  for (std::size_t i = 0; i < file.document["devices"].size(); ++i)
    catalogue.push_back(read_device(file.document["devices"][i], root / "devices" / i));
  if (!file.document.contains("processors")) return catalogue;
  const Json& processors = file.document["processors"];
  if (!processors.is_array()) (root / "processors").fail("must be a list");
  for (std::size_t i = 0; i < processors.size(); ++i)
    add_processors(catalogue, processors[i], root / "processors" / i);
  return catalogue;
}

const DeviceEntry* find_device(const DeviceCatalogue& catalogue, std::string_view name,
                               std::int64_t memory_bytes) {
  const double gib = static_cast<double>(memory_bytes) / 0x1p30;
  for (const DeviceEntry& entry : catalogue) {
    if (!entry.is_cpu() && entry.name == name && std::abs(gib / entry.memory_gib - 1) < 0.1) return &entry;
  }
  return nullptr;
}

const DeviceEntry* find_processors(const DeviceCatalogue& catalogue, std::string_view name, int cores) {
  const auto found = std::ranges::find_if(catalogue, [&](const DeviceEntry& entry) {
    return entry.is_cpu() && entry.name == name && entry.cores == cores;
  });
  return found == catalogue.end() ? nullptr : &*found;
}

}  // namespace breakeven
