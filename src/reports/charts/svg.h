// Draws charts as SVG 1.1, for pages and for separate files.
#pragma once

#include <string>

#include "reports/charts/chart.h"

namespace breakeven {

struct SvgStyle {
  double width = 640;          // 340 for phones; each width has its own layout and is not scaled
  bool for_page = false;       // colours are custom properties of the page, which also shows the title
  std::string id_prefix = {};  // for element ids, if several pictures are in one document
};

/// Draws a chart; its height follows from the content. Everything lies inside the picture, and external text
/// is escaped. Of more than six measured series, the six best at their last point are drawn, with a note.
/// Bars with a logarithmic axis are drawn as points, because their lengths would have no meaning.
std::string svg_text(const Chart& chart, const SvgStyle& style);

/// The custom properties that a page must define, as declarations: "--ink:#1c1e21;--soft:...".
std::string svg_page_colours(bool dark);

}  // namespace breakeven
