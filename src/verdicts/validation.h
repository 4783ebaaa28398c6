// Finds what contradicts itself in a verdict file or a threshold file, or cannot be, as results/validation.h
// does in results. Each function returns what a message says after the place; empty if nothing is wrong.
#pragma once

#include <optional>
#include <string>

#include "verdicts/threshold.h"
#include "verdicts/verdict.h"

namespace breakeven {

/// A case of a file whose smallest change that matters is `threshold`.
std::string fault_of(const CaseVerdict& c, double threshold);

/// `exit_status` is the one in the file, which is absent in those of the first versions.
std::string fault_of(const Verdicts& verdicts, std::optional<std::int64_t> exit_status);

std::string fault_of(const LeadChange& change);
std::string fault_of(const ThresholdAnswer& answer, const Threshold& of);
/// Everything but the answers.
std::string fault_of(const Threshold& threshold);

}  // namespace breakeven
