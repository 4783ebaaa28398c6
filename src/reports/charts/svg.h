// Charts drawn as SVG (SVG 1.1): for the page, and as files of their own.
#pragma once

#include <string>

#include "reports/charts/chart.h"

namespace breakeven {

struct SvgStyle {
  double width = 640;          // 340 for phones: laid out anew for each width, not scaled
  bool for_page = false;       // colours are the page's custom properties, and the page shows the title
  std::string id_prefix = {};  // of the ids in it, where several are in one document
};

/// The height follows from the content. Everything lies inside, text that came from elsewhere is escaped, and
/// of more than six measured series the six best at their last point are drawn, with a note. Bars whose axis
/// is logarithmic have no length that means anything, and are drawn as points.
std::string svg_text(const Chart& chart, const SvgStyle& style);

/// The custom properties that a page has to define, as declarations: "--ink:#1c1e21;--soft:...".
std::string svg_page_colours(bool dark);

}  // namespace breakeven
