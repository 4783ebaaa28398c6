#include "results/json_parts.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <map>

#include "protocol/messages.h"

namespace breakeven {
namespace {

using Json = nlohmann::ordered_json;

Json object(const std::vector<std::pair<std::string, std::string>>& pairs) {
  Json made = Json::object();
  for (const auto& [key, value] : pairs) made[key] = value;
  return made;
}

Json to_json(const Gpu& g) {
  return {{"id", g.id},
          {"name", or_null(g.name)},
          {"driver", or_null(g.driver)},
          {"memory_bytes", or_null(g.memory_bytes)},
          {"ecc", or_null(g.ecc)},
          {"mig", or_null(g.mig)},
          {"persistence", or_null(g.persistence)},
          {"compute_mode", or_null(g.compute_mode)},
          {"pcie_generation", or_null(g.pcie_generation)},
          {"pcie_width", or_null(g.pcie_width)},
          {"pcie_generation_most", or_null(g.pcie_generation_most)},
          {"pcie_width_most", or_null(g.pcie_width_most)},
          {"power_limit_watts", number_or_null(g.power_limit_watts)},
          {"power_limit_default_watts", number_or_null(g.power_limit_default_watts)},
          {"sm_mhz_most", number_or_null(g.sm_mhz_most)},
          {"memory_mhz_most", number_or_null(g.memory_mhz_most)},
          {"unreadable", g.unreadable}};
}

Gpu read_gpu(const JsonReader& in) {
  return {.id = in.get<std::string>("id"),
          .name = in.optional<std::string>("name"),
          .driver = in.optional<std::string>("driver"),
          .memory_bytes = in.optional<std::int64_t>("memory_bytes"),
          .ecc = in.optional<bool>("ecc"),
          .mig = in.optional<bool>("mig"),
          .persistence = in.optional<bool>("persistence"),
          .compute_mode = in.optional<std::string>("compute_mode"),
          .pcie_generation = in.optional<std::int64_t>("pcie_generation"),
          .pcie_width = in.optional<std::int64_t>("pcie_width"),
          .pcie_generation_most = in.optional<std::int64_t>("pcie_generation_most"),
          .pcie_width_most = in.optional<std::int64_t>("pcie_width_most"),
          .power_limit_watts = in.optional_number("power_limit_watts"),
          .power_limit_default_watts = in.optional_number("power_limit_default_watts"),
          .sm_mhz_most = in.optional_number("sm_mhz_most"),
          .memory_mhz_most = in.optional_number("memory_mhz_most"),
          .unreadable = in.get_or<std::map<std::string, std::string>>("unreadable", {})};
}

}  // namespace

Json config_json(const std::string& text) {
  Json config = Json::parse(text, nullptr, /*allow_exceptions=*/false, /*ignore_comments=*/true);
  return config.is_discarded() ? Json(nullptr) : config;
}

Json number_or_null(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}
Json number_or_null(const std::optional<double>& value) {
  return value ? number_or_null(*value) : Json(nullptr);
}
Json numbers_or_nulls(const std::vector<double>& values) {
  Json array = Json::array();
  for (const double value : values) array.push_back(number_or_null(value));
  return array;
}

Json to_json(const BackendRecord& b) {
  Json made{
      {"name", b.name}, {"available", b.available}, {"reason", b.reason},          {"version", b.version},
      {"role", b.role}, {"device", b.device},       {"device_name", b.device_name}};
  if (!b.device_id.empty()) made["device_id"] = b.device_id;
  made["libraries"] = object(b.libraries);
  if (!b.library_files.empty()) made["library_files"] = object(b.library_files);
  made["supports"] = Json::object();
  for (const auto& [op, dtypes] : b.supports) made["supports"][op] = dtypes;
  made["unreadable"] = b.unreadable;
  if (!b.warnings.empty()) made["warnings"] = b.warnings;
  if (!b.notes.empty()) made["notes"] = b.notes;
  made["program"] = b.program;
  return made;
}

Json to_json(const Host& h) {
  Json made{{"name", h.name},
            {"os", h.os},
            {"kernel", h.kernel},
            {"cpu", h.cpu},
            {"virtualization", h.virtualization},
            {"cpus", h.cpus},
            {"cores", h.cores},
            {"threads", h.threads},
            {"cpu_quota", number_or_null(h.cpu_quota)},
            {"memory_bytes", h.memory_bytes},
            {"cpu_features", h.cpu_features},
            {"settings", h.settings}};
  if (!h.cpu_identity.empty()) made["cpu_identity"] = h.cpu_identity;
  if (h.environment) made["environment"] = *h.environment;
  made["gpus"] = Json::array();
  for (const Gpu& gpu : h.gpus) made["gpus"].push_back(to_json(gpu));
  return made;
}

BackendRecord read_backend(const JsonReader& in) {
  BackendRecord b;
  b.name = in.get<std::string>("name");
  b.version = in.get_or<std::string>("version", "");
  b.role = in.get_or<std::string>("role", "contender");
  b.device = in.get_or<std::string>("device", "");
  b.device_name = in.get_or<std::string>("device_name", "");
  b.device_id = in.get_or<std::string>("device_id", "");
  b.libraries = in.pairs("libraries");
  b.library_files = in.pairs("library_files");
  const auto supports = in.get_or<std::map<std::string, std::vector<std::string>>>("supports", {});
  b.supports.assign(supports.begin(), supports.end());
  b.unreadable = in.get_or<std::map<std::string, std::string>>("unreadable", {});
  b.warnings = in.get_or<std::vector<std::string>>("warnings", {});
  b.notes = in.get_or<std::vector<std::string>>("notes", {});
  b.program = in.get_or<std::string>("program", "");
  b.available = in.get<bool>("available");
  b.reason = in.get_or<std::string>("reason", "");
  return b;
}

Host read_host(const JsonReader& in) {
  Host host{.name = in.get_or<std::string>("name", ""),
            .os = in.get_or<std::string>("os", ""),
            .kernel = in.get_or<std::string>("kernel", ""),
            .cpu = in.get_or<std::string>("cpu", ""),
            .virtualization = in.get_or<std::string>("virtualization", ""),
            .cpus = in.get_or<int>("cpus", 0),
            .cores = in.get_or<int>("cores", 0),
            .threads = in.get_or<int>("threads", 0),
            .cpu_quota = in.optional_number("cpu_quota"),
            .memory_bytes = in.get_or<std::int64_t>("memory_bytes", 0),
            .cpu_identity = in.get_or<std::string>("cpu_identity", ""),
            .cpu_features = in.get_or<std::vector<std::string>>("cpu_features", {}),
            .settings = in.get_or<std::map<std::string, std::string>>("settings", {}),
            .environment = {},
            .gpus = {}};
  if (in.has("environment"))
    host.environment = in.get_or<std::map<std::string, std::string>>("environment", {});
  if (in.has("gpus")) in.each("gpus", [&](const JsonReader& gpu) { host.gpus.push_back(read_gpu(gpu)); });
  return host;
}

Parameters read_parameters(const JsonReader& in) {
  try {
    return parameters_from_json(in.at("params"));
  } catch (const ProtocolError& e) {
    in.fail(e.what());
  }
}

Status read_status(const JsonReader& in, const char* key) {
  const auto text = in.get<std::string>(key);
  const auto status = parse_status(text);
  if (!status) in.fail(fmt::format("has the unknown status '{}'", text));
  return *status;
}

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json to_json(const MachineSpeed& speed) {
  Json made{{"rounds", speed.rounds},
            {"slow_rounds", speed.slow_rounds},
            {"median", number_or_null(speed.median)},
            {"lowest", number_or_null(speed.lowest)},
            {"best_seconds", speed.best_seconds},
            {"median_seconds", speed.median_seconds}};
  if (!speed.reservation.empty()) made["reservation"] = speed.reservation;
  if (speed.clock_range) made["clock_range"] = *speed.clock_range;
  if (speed.instructions_per_cycle) made["instructions_per_cycle"] = *speed.instructions_per_cycle;
  return made;
}

std::string fault_of(const MachineSpeed& speed) {
  const auto is_share = [](double value) { return value >= 0 && value <= 1; };
  if (speed.rounds < 1 || speed.slow_rounds < 0 || speed.slow_rounds > speed.rounds)
    return fmt::format("has {} slow rounds of {}", speed.slow_rounds, speed.rounds);
  if (!is_share(speed.median) || !is_share(speed.lowest)) return "has a share that is not from 0 to 1";
  for (const auto* parts : {&speed.best_seconds, &speed.median_seconds}) {
    for (const auto& [part, seconds] : *parts) {
      if (!(seconds > 0) || !std::isfinite(seconds))
        return fmt::format("has no time of the probe's part '{}'", part);
    }
  }
  if (speed.clock_range && !(*speed.clock_range >= 1 && std::isfinite(*speed.clock_range)))
    return "has a range of the clock that is less than 1";
  if (speed.instructions_per_cycle && !(*speed.instructions_per_cycle > 0))
    return "has a number of instructions per cycle that is not above 0";
  return {};
}

std::optional<MachineSpeed> read_machine_speed(const JsonReader& in) {
  if (!in.has("machine_speed")) return std::nullopt;
  const JsonReader s = in.child("machine_speed");
  const MachineSpeed speed{.rounds = s.get<std::int64_t>("rounds"),
                           .slow_rounds = s.get<std::int64_t>("slow_rounds"),
                           .median = s.get<double>("median"),
                           .lowest = s.get<double>("lowest"),
                           .best_seconds = s.get_or<std::map<std::string, double>>("best_seconds", {}),
                           .median_seconds = s.get_or<std::map<std::string, double>>("median_seconds", {}),
                           .reservation = s.get_or<std::string>("reservation", ""),
                           .clock_range = s.optional_number("clock_range"),
                           .instructions_per_cycle = s.optional_number("instructions_per_cycle")};
  if (const std::string fault = fault_of(speed); !fault.empty()) s.fail(fault);
  return speed;
}

}  // namespace breakeven
