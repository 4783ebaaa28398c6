#include "reports/render/page_assets.h"

// The assembler puts the files in as they are; the build gives their folder.
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage)
#define BREAKEVEN_ASSET(name, file)                                                          \
  __asm__(".pushsection .rodata\n.global breakeven_asset_" name "\nbreakeven_asset_" name    \
          ":\n.incbin \"" BREAKEVEN_PAGE_FOLDER "/" file "\"\n.global breakeven_asset_" name \
          "_end\nbreakeven_asset_" name "_end:\n.byte 0\n.popsection\n");

BREAKEVEN_ASSET("page", "page.html")
BREAKEVEN_ASSET("picture", "picture.html")
BREAKEVEN_ASSET("table", "table.html")
BREAKEVEN_ASSET("fold", "fold.html")
BREAKEVEN_ASSET("style", "page.css")
BREAKEVEN_ASSET("script", "page.js")

// NOLINTBEGIN(cppcoreguidelines-avoid-c-arrays)
extern "C" {
extern const char breakeven_asset_page[], breakeven_asset_page_end[];
extern const char breakeven_asset_picture[], breakeven_asset_picture_end[];
extern const char breakeven_asset_table[], breakeven_asset_table_end[];
extern const char breakeven_asset_fold[], breakeven_asset_fold_end[];
extern const char breakeven_asset_style[], breakeven_asset_style_end[];
extern const char breakeven_asset_script[], breakeven_asset_script_end[];
}
// NOLINTEND(cppcoreguidelines-avoid-c-arrays)

namespace breakeven::page_assets {

std::string_view page() {
  return {breakeven_asset_page, breakeven_asset_page_end};
}
std::string_view picture() {
  return {breakeven_asset_picture, breakeven_asset_picture_end};
}
std::string_view table() {
  return {breakeven_asset_table, breakeven_asset_table_end};
}
std::string_view fold() {
  return {breakeven_asset_fold, breakeven_asset_fold_end};
}
std::string_view style() {
  return {breakeven_asset_style, breakeven_asset_style_end};
}
std::string_view script() {
  return {breakeven_asset_script, breakeven_asset_script_end};
}

}  // namespace breakeven::page_assets
