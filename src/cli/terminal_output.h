#pragma once

#include "reports/document/document.h"
#include "reports/render/terminal_lines.h"

namespace breakeven {

/// For standard output: its width, with colour where it is a terminal and NO_COLOR (https://no-color.org) is
/// not set.
TerminalStyle terminal_style();

/// On standard output; decisions begin with their answer, measurements end with it.
void print_document(const Document& document, bool answer_first = false);

}  // namespace breakeven
