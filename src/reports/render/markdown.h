// Renders a document as Markdown for GitHub's job summaries.
#pragma once

#include <string>

#include "reports/document/document.h"

namespace breakeven {

std::string render_markdown(const Document& document);

/// Renders only the answers, one sentence per line, without markup.
std::string render_answers(const Document& document);

}  // namespace breakeven
