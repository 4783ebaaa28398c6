#include "results/measure_settings.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace breakeven {

nlohmann::json measure_of(const Result& result) {
  const auto config = nlohmann::json::parse(result.config, nullptr, false, true);
  const auto measure = [](const nlohmann::json& one) {
    const auto given = one.is_object() ? one.find("measure") : one.end();
    return one.is_object() && given != one.end() && given->is_object() ? *given : nlohmann::json::object();
  };
  if (config.is_object()) return measure(config);
  if (config.is_array() && !config.empty()) return measure(config[0]);
  return {};
}

std::string measured_with(const nlohmann::json& measure, const char* setting,
                          const std::string& default_value) {
  if (measure.is_null()) return {};
  const auto value = measure.find(setting);
  return value != measure.end() && value->is_string() ? value->get<std::string>() : default_value;
}

std::string options_of_shard(const Result& result, const ShardSettings& defaults) {
  if (!result.shard) return {};
  const nlohmann::json measure = measure_of(result);
  const auto number = [&](const char* setting, double default_value) {
    const auto given = measure.find(setting);
    return given != measure.end() && given->is_number() ? given->get<double>() : default_value;
  };
  const auto own_kernels = measure.find("library_defaults");
  const bool has_own_kernels = own_kernels != measure.end() && own_kernels->is_boolean()
                                   ? own_kernels->get<bool>()
                                   : defaults.library_defaults;
  const ShardSettings& used = result.shard->settings;
  std::string options;
  // --seconds limits the time for energy, too.
  const bool has_seconds = used.max_seconds != number("max_seconds", defaults.max_seconds) ||
                           used.energy_seconds != number("energy_seconds", defaults.energy_seconds);
  if (has_seconds && used.max_seconds > 0) options += fmt::format(" --seconds {}", used.max_seconds);
  if (used.precision != number("precision", defaults.precision) && used.precision > 0)
    options += fmt::format(" --precision {}", used.precision);
  if (used.library_defaults && !has_own_kernels) options += " --library-defaults";
  return options;
}

std::string cache_state(const Result& result) {
  return measured_with(measure_of(result), "cache", "warm");
}

}  // namespace breakeven
