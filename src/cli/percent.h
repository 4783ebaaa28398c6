// Options that are a fraction.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/number.h"

namespace breakeven {

/// Converts "3%" into 0.03, and accepts "0.03" unchanged. The fraction must be above 0 and below 1.
inline const CLI::Validator& percent() {
  static const CLI::Validator validator(
      [](std::string& text) -> std::string {
        std::string number = text;
        const bool in_hundredths = !number.empty() && number.back() == '%';
        if (in_hundredths) number.pop_back();
        if (const auto value = number_from(number)) {
          const double part = in_hundredths ? *value / 100 : *value;
          if (part > 0 && part < 1) {
            text = std::to_string(part);
            return "";
          }
        }
        return "'" + text + "' is neither a percentage such as 3% nor a part such as 0.03";
      },
      "3%");
  return validator;
}

}  // namespace breakeven
