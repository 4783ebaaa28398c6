// The files of the HTML page, which the build embeds into the program.
#pragma once

#include <string>

namespace breakeven::page_assets {

std::string page();
std::string picture();
std::string table();
std::string fold();
std::string style();
std::string script();

}  // namespace breakeven::page_assets
