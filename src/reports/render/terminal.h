// Renders a document as terminal text.
#pragma once

#include <string>

#include "reports/document/document.h"

namespace breakeven {

struct TerminalStyle {
  bool colour = false;
  int width = 80;  // columns; at least 40
  bool unicode = true;
};

/// Tables come first and the answer last, where it is visible after they have scrolled by. A document of
/// decisions (`answer_first`) begins with the answer, and shows only the most important part of its tables.
struct TerminalOptions {
  TerminalStyle style;
  bool answer_first = false;
};

std::string render_terminal(const Document& document, const TerminalOptions& options);

}  // namespace breakeven
