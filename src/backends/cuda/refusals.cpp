#include "backends/cuda/refusals.h"

#include <fmt/format.h>

#include "backends/cuda/device.h"
#include "worker/backend.h"

namespace breakeven::cuda {

void Refusals::add(const std::string& words) {
  end_if_context_is_lost(words);
  if (memory_is_full()) {
    add_out_of_memory(words);
  } else if (!out_of_memory_) {
    words_ = words;
  }
}

void Refusals::add_out_of_memory(const std::string& words) {
  out_of_memory_ = true;
  words_ = words;
}

void Refusals::none_left(const std::string& what) const {
  const std::string message = fmt::format("{}: {}", what, words_);
  if (out_of_memory_) throw OutOfMemory(message);
  throw Unsupported(message);
}

}  // namespace breakeven::cuda
