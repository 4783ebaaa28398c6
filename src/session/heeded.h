// Whether a program does what a case asks for, or what it has always done.
#pragma once

#include <string>

#include "protocol/messages.h"

namespace breakeven {

/// Why what was made ready is not the case that was asked for: a program may ignore a parameter that it does
/// not know. Empty where it is.
std::string not_heeded(const Case& asked, const answer::Ready& ready);

/// What a row says of how its case is computed: the algorithm, and how many sets of operands take turns.
std::string algorithm_text(const answer::Ready& ready);

}  // namespace breakeven
