// Renders a document as a page for a browser: one file that loads nothing else.
#pragma once

#include <string>

#include "reports/document/document.h"

namespace breakeven {

/// Renders the page. It works from disk, without a network and, except for the tables of all results, without
/// its script. All text in the document is escaped.
std::string render_html(const Document& document);

}  // namespace breakeven
