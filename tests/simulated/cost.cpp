#include "simulated/cost.h"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "workloads/random.h"

namespace breakeven::simulated {

Cost Cost::taken_from(Settings& settings) {
  const Cost usual;
  return {.fixed = settings.take_number("fixed", usual.fixed),
          .per_flop = settings.take_number("per_flop", usual.per_flop),
          .per_byte = settings.take_number("per_byte", usual.per_byte),
          .factor = settings.take_number("factor", usual.factor),
          .watts = settings.take_number("watts", usual.watts)};
}

double Cost::seconds(const Case& problem) const {
  return factor * (fixed + per_flop * problem.flop() + per_byte * problem.bytes());
}

Noise Noise::taken_from(Settings& settings) {
  Noise noise{.relative = settings.take_number("noise", 0),
              .between_processes = settings.take_number("process_noise", 0),
              .drift = settings.take_number("drift", 0),
              .recorded = {},
              .seed = static_cast<std::uint64_t>(settings.take_integer("seed", 0))};
  std::istringstream in(settings.take_text("recorded", ""));
  for (double factor = 0; in >> factor;) noise.recorded.push_back(factor);
  return noise;
}

NoiseSource::NoiseSource(Noise noise, const std::string& name, int process) : noise_(std::move(noise)) {
  std::uint64_t key = noise_.seed == 0 ? std::random_device{}() : noise_.seed;
  for (const char c : name) key = mix(key + static_cast<unsigned char>(c));
  generator_.seed(mix(key + static_cast<std::uint64_t>(process)));
  std::normal_distribution<double> normal;
  of_process_ = std::exp(noise_.between_processes * normal(generator_));
}

double NoiseSource::next() {
  const auto number = samples_++;
  double of_sample = 1;
  if (!noise_.recorded.empty()) {
    of_sample = noise_.recorded[number % noise_.recorded.size()];
  } else {
    std::normal_distribution<double> normal;
    of_sample = std::exp(noise_.relative * normal(generator_));
  }
  return of_process_ * of_sample * (1 + noise_.drift * static_cast<double>(number));
}

void add_cost_file(Settings& settings, const std::string& name) {
  const auto path = settings.take_text("cost", "");
  if (path.empty()) return;
  std::ifstream file(path);
  const auto costs = nlohmann::json::parse(file, nullptr, /*allow_exceptions=*/false);
  if (!costs.is_object()) throw SettingsError(fmt::format("{}: is no JSON object of costs by backend", path));
  if (!costs.contains(name)) return;
  for (const auto& [key, value] : costs[name].items()) {
    std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    if (value.is_array()) {
      text.clear();
      for (const auto& item : value) text += item.dump() + " ";
    }
    settings.add_fallback(key, text);
  }
}

}  // namespace breakeven::simulated
