// The page that people read in a browser: one file, that asks for nothing else.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "reports/charts.h"

namespace breakeven {

/// What a column holds, which says how the page shows and sorts it.
enum class HtmlCells { text, number, seconds, joules, percent, spread };

struct HtmlColumn {
  std::string name;
  HtmlCells cells = HtmlCells::text;
  bool can_choose = false;  // offered as a filter
  bool if_several = false;  // left out where all rows have the same
};

/// Sortable and filterable; columns in which no row has anything are left out.
struct HtmlTable {
  std::string title;
  std::vector<HtmlColumn> columns;
  /// Lists of as many texts, numbers or nulls, for what is not known.
  std::vector<nlohmann::ordered_json> rows = {};
};

struct HtmlMachine {
  std::string name;
  std::vector<std::string> facts = {}, asides = {}, troubles = {};
};

/// Any text in it may be what it likes: the page's own script puts it in as text, never as markup.
struct HtmlPage {
  std::string title, about;
  std::vector<std::string> answers = {};  // in words: the first thing that is read
  std::vector<Chart> charts = {};
  std::vector<HtmlTable> tables = {};
  std::vector<std::string> failures = {}, warnings = {};
  std::vector<HtmlMachine> machines = {};
};

/// Works from disk and without a network: data, style, script and Chart.js (where the build found it) are in
/// it.
std::string html_text(const HtmlPage& page);

}  // namespace breakeven
