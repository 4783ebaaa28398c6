// Checks whether a program prepared the case that was requested.
#pragma once

#include <string>

#include "protocol/messages.h"

namespace breakeven {

/// Returns the reason why the prepared case is not the requested one; empty if it is. A program may ignore a
/// parameter that it does not know.
std::string not_heeded(const Case& asked, const answer::Ready& ready);

/// Describes how a case is computed: the algorithm, and how many sets of operands are used in turn.
std::string algorithm_text(const answer::Ready& ready);

}  // namespace breakeven
