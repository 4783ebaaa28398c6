#include "backends/cuda/gate.h"

namespace breakeven::cuda {
namespace {

__device__ unsigned long long nanoseconds() {
  unsigned long long now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

__global__ void wait_until_open(volatile GateState* state) {
  constexpr unsigned long long patience = 1'000'000'000ULL;
  const unsigned long long start = nanoseconds();
  state->reached = 1;
  while (state->opened == 0) {
    if (nanoseconds() - start < patience) continue;
    state->gave_up = 1;
    return;
  }
}

}  // namespace

Gate::Gate() {
  GateState* state = nullptr;
  check(cudaMallocHost(&state, sizeof *state), "cudaMallocHost");
  state_.reset(state);
}

void Gate::close(cudaStream_t stream) {
  volatile GateState* state = state_.get();
  state->opened = 0;
  state->reached = 0;
  state->gave_up = 0;
  wait_until_open<<<1, 1, 0, stream>>>(state);
  check(cudaGetLastError(), "launching a kernel");
}

bool Gate::reached() const {
  return const_cast<const volatile GateState*>(state_.get())->reached != 0;
}

void Gate::open() {
  const_cast<volatile GateState*>(state_.get())->opened = 1;
}

bool Gate::gave_up() const {
  return const_cast<const volatile GateState*>(state_.get())->gave_up != 0;
}

}  // namespace breakeven::cuda
