#pragma once

namespace breakeven {

/// Keeps some memory back for the moment in which memory ends. The allocation that fails first gets it, since
/// it may be made where nothing may be thrown: nlohmann_json allocates in destructors. One that fails later
/// throws, and more memory that was kept back serves the destructors and handlers on its way.
void keep_memory_back();

/// True once memory has ended. Whoever takes much of it piece by piece looks here, and throws std::bad_alloc.
bool is_memory_short();

}  // namespace breakeven
