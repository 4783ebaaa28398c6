// One document for each kind of report. What a document says it holds itself: the arguments may go.
#pragma once

#include "reports/document/document.h"
#include "reports/exports/format.h"

namespace breakeven {

/// Results and thresholds: a card for each question, machines side by side, and where a GPU wins.
Document document_of(const Measured& measured);
Document document_of(const Threshold& threshold);

/// A gate or a comparison: whether the head is slower, what was compared, and every finding, the worst first.
Document document_of(const Verdicts& verdicts);

/// Machines in order, case by case, and when a GPU pays for itself.
Document document_of(const Ranking& ranking);

/// Changes of a history, and the measurements that show them.
Document document_of(const CheckedHistory& checked);

}  // namespace breakeven
