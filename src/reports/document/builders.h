// One document for each kind of report.
#pragma once

#include "reports/document/document.h"
#include "verdicts/measured.h"

namespace breakeven {

/// Results and thresholds: a card for each question, machines side by side, and where a GPU wins. What it
/// points to must outlive the call alone.
Document results_document(const Measured& measured);

}  // namespace breakeven
