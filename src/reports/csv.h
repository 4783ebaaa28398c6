// Results for spreadsheets and data frames.
#pragma once

#include <span>
#include <string>

#include "results/result.h"

namespace breakeven {

/// One row for each case and backend, RFC 4180 (CRLF, quotes where needed), in UTF-8, under a header row.
/// The columns are described in docs/csv.md; the parameters come last, as `parameter.NAME` for each
/// name that occurs. Numbers have all their digits. Unknown is empty. Text is one line, without control
/// characters; text that a spreadsheet would take for a formula begins with an apostrophe.
std::string csv_report(std::span<const Result> results);

}  // namespace breakeven
