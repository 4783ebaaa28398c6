#include "verdicts/measured.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "results/json_parts.h"
#include "results/json_text.h"

namespace breakeven {

Measured read_measured(std::span<const std::filesystem::path> files) {
  Measured all;
  for (const auto& file : files) {
    const std::string text = read_result_text(file);
    try {
      const auto json = parse_strictly(text);
      if (json.is_object() &&
          json.value("/schema"_json_pointer, nlohmann::ordered_json()) == threshold_schema) {
        all.thresholds.push_back(threshold_from(json));
      } else {
        all.results.push_back(result_from(json));
      }
    } catch (const ResultError& e) {
      throw ResultError(fmt::format("{}: {}", file.string(), e.what()));
    }
  }
  return all;
}

}  // namespace breakeven
