// A document as terminal text.
#pragma once

#include <string>

#include "reports/document/document.h"
#include "reports/render/terminal_lines.h"

namespace breakeven {

/// Tables first and the answer last, where it is seen after they have scrolled by; a document of decisions
/// (`answer_first`) begins with it, and shows only as much of its tables as a reader takes in.
struct TerminalOptions {
  TerminalStyle style;
  bool answer_first = false;
};

std::string render_terminal(const Document& document, const TerminalOptions& options);

}  // namespace breakeven
