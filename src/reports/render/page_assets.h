// The files of the HTML page, which the build embeds into the program.
#pragma once

#include <string_view>

namespace breakeven::page_assets {

std::string_view page();
std::string_view picture();
std::string_view table();
std::string_view fold();
std::string_view style();
std::string_view script();

}  // namespace breakeven::page_assets
