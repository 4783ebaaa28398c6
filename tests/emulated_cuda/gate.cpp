// An emulated gate. It blocks nothing, because work waits until someone waits for it. Code that waits, or may
// wait, while it is closed would wait for ever. If launches block, the gate's own kernel waits until it gives
// up.
#include "backends/cuda/gate.h"

#include "device.h"

namespace breakeven::cuda {

Gate::Gate() = default;

void Gate::close(cudaStream_t) {
  if (!emulated::launches_block()) emulated::close_gate();
}

void Gate::open() {
  emulated::open_gate();
}

bool Gate::gave_up() const {
  return emulated::launches_block();
}

}  // namespace breakeven::cuda
