// The files that the HTML report is made of, as they were when this was built.
#pragma once

#include <string_view>

namespace breakeven::html_assets {

std::string_view page();
std::string_view style();
std::string_view script();
/// Empty where the build found none: then a report has tables in place of charts.
std::string_view chart_js();

}  // namespace breakeven::html_assets
