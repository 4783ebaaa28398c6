// Describes where, when and with what a report's results were measured.
#pragma once

#include <string>
#include <vector>

#include "reports/document/document.h"
#include "reports/document/runs.h"
#include "verdicts/measured.h"

namespace breakeven {

/// "3 machines (2 cores each, no GPU) · 23 November 2026 · breakeven 0.1.0 · 208 results, all verified".
std::string about_text(const Measured& measured);

/// "23 November 2026" for "2026-11-23T10:00:00Z"; other texts are unchanged.
std::string date_text(const std::string& created);

/// "Not here: cuda (no NVIDIA driver); jax, tensorflow (not installed)." Empty if every backend is available.
std::string absent_backends_text(const Runs& runs);

/// The hardware and software of each machine.
std::vector<Fold> machine_folds(const Measured& measured);

/// The hardware and software of one machine, one line each.
std::vector<Sentence> machine_sentences(const Host& host, const std::vector<BackendRecord>& backends);

}  // namespace breakeven
