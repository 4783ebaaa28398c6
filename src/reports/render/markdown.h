// A document as Markdown, as GitHub's job summaries show it.
#pragma once

#include <string>

#include "reports/document/document.h"

namespace breakeven {

std::string render_markdown(const Document& document);

/// The answers alone, a sentence a line, without markup.
std::string render_answers(const Document& document);

}  // namespace breakeven
