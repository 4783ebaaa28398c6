#include "threads.h"

#include <array>
#include <boost/context/fiber.hpp>
#include <boost/context/pooled_fixedsize_stack.hpp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace emulated {
namespace {

using boost::context::fiber;

struct Thread {
  uint3 index{};
  fiber rest;  // of its work; empty once it has ended
  Meeting waits_for = Meeting::none;

  bool ended() const { return !rest; }
};

bool backwards() {
  const char* order = std::getenv("EMULATED_CUDA_ORDER");
  return order != nullptr && std::string_view(order) == "backwards";
}

class Block {
 public:
  Block(dim3 shape, std::size_t shared_bytes, const std::function<void()>& work)
      : shape_(shape),
        threads_(shape.x * shape.y * shape.z),
        exchanged_(threads_.size()),
        shared_bytes_(shared_bytes),
        shared_(static_cast<std::byte*>(std::aligned_alloc(256, (shared_bytes + 255) / 256 * 256 + 256))) {
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      Thread& thread = threads_[i];
      thread.index = {static_cast<unsigned>(i % shape.x), static_cast<unsigned>(i / shape.x % shape.y),
                      static_cast<unsigned>(i / (std::size_t{shape.x} * shape.y))};
    }
    work_ = &work;
  }

  void run(uint3 index) {
    static boost::context::pooled_fixedsize_stack stacks(std::size_t{64} << 10);
    blockIdx = index;
    blockDim = shape_;
    std::memset(shared_.get(), 0xff, shared_bytes_);
    for (Thread& thread : threads_) {
      thread.waits_for = Meeting::none;
      thread.rest = fiber(std::allocator_arg, stacks, [this](fiber&& scheduler) {
        scheduler_ = std::move(scheduler);
        (*work_)();
        return std::move(scheduler_);
      });
    }
    const bool from_behind = backwards();
    for (bool all_ended = false; !all_ended;) {
      bool any_ran = false;
      for (std::size_t i = 0; i < threads_.size(); ++i) {
        current_ = from_behind ? threads_.size() - 1 - i : i;
        Thread& thread = threads_[current_];
        if (thread.ended() || thread.waits_for != Meeting::none) continue;
        any_ran = true;
        threadIdx = thread.index;
        thread.rest = std::move(thread.rest).resume();
      }
      const bool any_met = let_warps_go() || let_block_go();
      all_ended = true;
      for (const Thread& thread : threads_) all_ended = all_ended && thread.ended();
      if (!all_ended && !any_ran && !any_met) {
        std::fprintf(stderr, "emulated CUDA: threads of a block wait for others that wait elsewhere\n");
        std::abort();
      }
    }
  }

  void meet(Meeting meeting) {
    threads_[current_].waits_for = meeting;
    scheduler_ = std::move(scheduler_).resume();
  }

  void* shared() { return shared_.get(); }
  unsigned lane() const { return static_cast<unsigned>(current_ % warp_threads); }
  void* exchanged(unsigned lane) { return &exchanged_[current_ / warp_threads * warp_threads + lane]; }

 private:
  /// Whether all of them that have not ended are at this meeting, and there is one; then they go on.
  bool let_go(std::size_t first, std::size_t last, Meeting meeting) {
    bool any = false;
    for (std::size_t i = first; i < last; ++i) {
      if (threads_[i].ended()) continue;
      if (threads_[i].waits_for != meeting) return false;
      any = true;
    }
    for (std::size_t i = first; i < last; ++i) threads_[i].waits_for = Meeting::none;
    return any;
  }
  bool let_warps_go() {
    bool any = false;
    for (std::size_t first = 0; first < threads_.size(); first += warp_threads)
      any = let_go(first, std::min(first + warp_threads, threads_.size()), Meeting::warp) || any;
    return any;
  }
  bool let_block_go() { return let_go(0, threads_.size(), Meeting::block); }

  struct Free {
    void operator()(std::byte* p) const { std::free(p); }
  };

  dim3 shape_;
  std::vector<Thread> threads_;
  std::vector<std::uint64_t> exchanged_;
  std::size_t shared_bytes_;
  std::unique_ptr<std::byte, Free> shared_;
  const std::function<void()>* work_ = nullptr;
  fiber scheduler_;
  std::size_t current_ = 0;
};

Block* running = nullptr;

}  // namespace

void run_grid(dim3 grid, dim3 block, std::size_t shared_bytes, const std::function<void()>& thread) {
  Block one(block, shared_bytes, thread);
  running = &one;
  gridDim = grid;
  const std::uint64_t blocks = std::uint64_t{grid.x} * grid.y * grid.z;
  const bool from_behind = backwards();
  for (std::uint64_t i = 0; i < blocks; ++i) {
    const std::uint64_t at = from_behind ? blocks - 1 - i : i;
    one.run({static_cast<unsigned>(at % grid.x), static_cast<unsigned>(at / grid.x % grid.y),
             static_cast<unsigned>(at / (std::uint64_t{grid.x} * grid.y))});
  }
  running = nullptr;
}

void meet(Meeting meeting) {
  running->meet(meeting);
}
void* shared_memory() {
  return running->shared();
}
void* exchanged(unsigned lane) {
  return running->exchanged(lane);
}
unsigned lane() {
  return running->lane();
}

}  // namespace emulated
