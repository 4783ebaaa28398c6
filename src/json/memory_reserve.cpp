#include "json/memory_reserve.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace breakeven {
namespace {

/// The blocks of memory that are reserved, in the order in which they are released, and the number of those
/// already released.
struct Reserve {
  std::array<void*, 2> parts{};
  std::atomic<std::size_t> given_up{0};
};

Reserve& reserve() {
  static Reserve kept;
  return kept;
}

/// The new-handler: frees a part of the reserve. The first time it returns, and the allocation is tried
/// again; later it throws.
void give_up_memory() {
  const std::size_t part = reserve().given_up++;
  if (part < reserve().parts.size()) std::free(reserve().parts.at(part));
  if (part > 0) throw std::bad_alloc();
}

}  // namespace

void keep_memory_back() {
  constexpr std::size_t size = std::size_t{2} << 20U;
  for (void*& part : reserve().parts) part = std::malloc(size);
  std::set_new_handler(give_up_memory);
}

bool is_memory_short() {
  return reserve().given_up > 0;
}

}  // namespace breakeven
