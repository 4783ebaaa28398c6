// Builds a document for each kind of report. A document owns its content, so the arguments may be destroyed.
#pragma once

#include <type_traits>

#include "reports/document/document.h"
#include "reports/exports/format.h"
#include "verdicts/fleet.h"

namespace breakeven {

/// Pictures in a document. Charts of many results take a fifth of the time of a report.
enum class Pictures { shown, left_out };

/// A report of results and thresholds: a card for each question, machines side by side, and where a GPU wins.
Document document_of(const Measured& measured, Pictures pictures = Pictures::shown);
Document document_of(const Threshold& threshold);

/// A report of a gate or a comparison: whether the head is slower, what was compared, and every finding, the
/// worst first.
Document document_of(const Verdicts& verdicts);

/// A report of rankings: machines in order, case by case, and when a GPU pays for itself.
Document document_of(const Rankings& rankings);

/// A report of a fleet: which nodes are slower than their like and why, and how every node stands.
Document document_of(const Fleet& fleet);

/// A report of a history: its changes, and the measurements that show them.
Document document_of(const CheckedHistory& checked);

/// The same for a renderer that shows no pictures.
template <typename T>
Document text_document_of(const T& of) {
  if constexpr (std::is_same_v<T, Measured>) {
    return document_of(of, Pictures::left_out);
  } else {
    return document_of(of);
  }
}

}  // namespace breakeven
