#pragma once

#include "reports/document/document.h"
#include "reports/render/terminal.h"

namespace breakeven {

/// The style for standard output: its width, and colour if it is a terminal and NO_COLOR
/// (https://no-color.org) is not set.
TerminalStyle terminal_style();

/// Prints a document on standard output. Decisions begin with their answer, measurements end with it.
void print_document(const Document& document, bool answer_first = false);

}  // namespace breakeven
