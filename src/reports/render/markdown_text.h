// Text for GitHub-flavoured Markdown.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace breakeven {

/// One line that Markdown shows as the printable() text is, in a table's cell too.
std::string markdown_text(std::string_view text);

/// A table's row of cells that are Markdown already.
std::string markdown_row(const std::vector<std::string>& cells);

}  // namespace breakeven
