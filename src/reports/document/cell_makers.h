// Cells made of what may not be known.
#pragma once

#include <cmath>
#include <optional>
#include <string>

#include "reports/document/document.h"
#include "reports/text.h"

namespace breakeven {

/// Printable; nothing for an empty text.
inline TableCell text_cell(const std::string& text) {
  return text.empty() ? TableCell{} : TableCell{.value = printable(text)};
}

/// Nothing where it is not known or not finite.
inline TableCell number_cell(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? TableCell{.value = *value} : TableCell{};
}

}  // namespace breakeven
