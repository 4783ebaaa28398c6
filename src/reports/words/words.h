// The words of files that this program writes.
#pragma once

#include "results/words.h"

namespace breakeven {

const Words& report_words();

}  // namespace breakeven
