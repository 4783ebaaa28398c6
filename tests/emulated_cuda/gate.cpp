// An emulated gate. It blocks nothing, because work waits until someone waits for it. Code that waits, or may
// wait, while it is closed would wait for ever. If launches block, the gate's own kernel waits until it gives
// up. EMULATED_CUDA_LATE_GATES=N: the first N give up although no launch blocks, like those of a late rank.
// EMULATED_CUDA_UNREACHED_GATES=1: the device never comes to a gate before it is opened.
#include "backends/cuda/gate.h"

#include <cstdlib>

#include "device.h"

namespace breakeven::cuda {

namespace {

/// The gates that still have to give up.
int& late_gates() {
  static const char* const given = std::getenv("EMULATED_CUDA_LATE_GATES");
  static int left = given == nullptr ? 0 : static_cast<int>(std::strtol(given, nullptr, 10)) + 1;
  return left;
}

}  // namespace

Gate::Gate() = default;

void Gate::close(cudaStream_t) {
  if (late_gates() > 0) --late_gates();
  if (!emulated::launches_block()) emulated::close_gate();
}

bool Gate::reached() const {
  static const char* const given = std::getenv("EMULATED_CUDA_UNREACHED_GATES");
  return given == nullptr;
}

void Gate::open() {
  emulated::open_gate();
}

bool Gate::gave_up() const {
  return emulated::launches_block() || late_gates() > 0;
}

}  // namespace breakeven::cuda
