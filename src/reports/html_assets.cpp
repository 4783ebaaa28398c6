#include "reports/html_assets.h"

// The assembler puts the files in as they are; the build gives their paths.
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage)
#define BREAKEVEN_ASSET(name, path)                                                              \
  __asm__(".pushsection .rodata\n.global breakeven_asset_" name "\nbreakeven_asset_" name        \
          ":\n.incbin \"" path "\"\n.global breakeven_asset_" name "_end\nbreakeven_asset_" name \
          "_end:\n.byte 0\n.popsection\n");

BREAKEVEN_ASSET("page", BREAKEVEN_HTML_PAGE)
BREAKEVEN_ASSET("style", BREAKEVEN_HTML_STYLE)
BREAKEVEN_ASSET("script", BREAKEVEN_HTML_SCRIPT)
BREAKEVEN_ASSET("chart_js", BREAKEVEN_CHART_JS)

// NOLINTBEGIN(cppcoreguidelines-avoid-c-arrays)
extern "C" {
extern const char breakeven_asset_page[], breakeven_asset_page_end[];
extern const char breakeven_asset_style[], breakeven_asset_style_end[];
extern const char breakeven_asset_script[], breakeven_asset_script_end[];
extern const char breakeven_asset_chart_js[], breakeven_asset_chart_js_end[];
}
// NOLINTEND(cppcoreguidelines-avoid-c-arrays)

namespace breakeven::html_assets {

std::string_view page() {
  return {breakeven_asset_page, breakeven_asset_page_end};
}
std::string_view style() {
  return {breakeven_asset_style, breakeven_asset_style_end};
}
std::string_view script() {
  return {breakeven_asset_script, breakeven_asset_script_end};
}
std::string_view chart_js() {
  return {breakeven_asset_chart_js, breakeven_asset_chart_js_end};
}

}  // namespace breakeven::html_assets
