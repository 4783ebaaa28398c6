// Makes table cells from values that may be unknown.
#pragma once

#include <cmath>
#include <optional>
#include <string>

#include "reports/document/document.h"
#include "reports/text.h"

namespace breakeven {

/// A cell with printable text; an empty cell for an empty text.
inline TableCell text_cell(const std::string& text) {
  return text.empty() ? TableCell{} : TableCell{.value = printable(text)};
}

/// A cell with a number; an empty cell if it is unknown or not finite.
inline TableCell number_cell(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? TableCell{.value = *value} : TableCell{};
}

}  // namespace breakeven
