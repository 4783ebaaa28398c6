#include "results/measure_settings.h"

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

std::string cache_state(const Result& result) {
  return measured_with(measure_of(result), "cache", "warm");
}

}  // namespace breakeven
