// A document as a page for a browser: one file, which asks for nothing else.
#pragma once

#include <string>

#include "reports/document/document.h"

namespace breakeven {

/// Works from disk, without a network and, but for the tables of all results, without its script. Any text in
/// the document may be what it likes: it is escaped.
std::string render_html(const Document& document);

}  // namespace breakeven
