#pragma once

namespace breakeven {

/// How many threads this program was told to use.
int& reference_threads();

}  // namespace breakeven
