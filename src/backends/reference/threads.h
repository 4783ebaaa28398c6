#pragma once

namespace breakeven {

/// The number of threads that this program was told to use.
int& reference_threads();

}  // namespace breakeven
