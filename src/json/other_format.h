// Recognises files that were given in place of JSON.
#pragma once

#include <string>
#include <string_view>

namespace breakeven {

/// Says what a file is that is not JSON, and the remedy: "is gzip-compressed; gunzip it first". Empty if it
/// is not recognised: it may be JSON with a mistake. Looks only at beginnings of the file and of its first
/// lines, unless no format is found: then it checks that the whole text is UTF-8.
std::string other_format(std::string_view text);

}  // namespace breakeven
