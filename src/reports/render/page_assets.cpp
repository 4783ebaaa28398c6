#include "reports/render/page_assets.h"

// The assembler includes the files unchanged. The build defines their folder.
// NOLINTBEGIN(bugprone-macro-parentheses)
#define BREAKEVEN_ASSET(name, file)                                                           \
  __asm__(".pushsection .rodata\n.global breakeven_asset_" #name "\nbreakeven_asset_" #name   \
          ":\n.incbin \"" BREAKEVEN_PAGE_FOLDER "/" file "\"\n.global breakeven_asset_" #name \
          "_end\nbreakeven_asset_" #name "_end:\n.byte 0\n.popsection\n");                    \
  extern "C" const char breakeven_asset_##name[], breakeven_asset_##name##_end[];             \
  std::string breakeven::page_assets::name() {                                                \
    return {breakeven_asset_##name, breakeven_asset_##name##_end};                            \
  }
// NOLINTEND(bugprone-macro-parentheses)

BREAKEVEN_ASSET(page, "page.html")
BREAKEVEN_ASSET(picture, "picture.html")
BREAKEVEN_ASSET(table, "table.html")
BREAKEVEN_ASSET(fold, "fold.html")
BREAKEVEN_ASSET(style, "page.css")
BREAKEVEN_ASSET(script, "page.js")
