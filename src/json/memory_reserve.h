#pragma once

namespace breakeven {

/// Reserves some memory for the moment when memory is exhausted. The first failing allocation gets it,
/// because it may be made where nothing may be thrown: nlohmann_json allocates in destructors. A later
/// failure throws, and the rest of the reserve serves the destructors and handlers during unwinding.
void keep_memory_back();

/// True once memory was exhausted. Code that allocates much memory in small pieces checks this, and throws
/// std::bad_alloc.
bool is_memory_short();

}  // namespace breakeven
