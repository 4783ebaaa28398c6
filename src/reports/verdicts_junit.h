// Verdicts as JUnit XML, which CI services show as test results.
#pragma once

#include <string>

#include "verdicts/verdict.h"

namespace breakeven {

/// A test case for each case and backend, "ID/BACKEND", in the order in which they were compared: its class
/// the operation, its time the head's median, in seconds. Slower and wrong ones are failures; incomparable
/// and missing ones errors; inconclusive and unsupported ones are skipped.
std::string verdicts_junit(const Verdicts& verdicts);

}  // namespace breakeven
