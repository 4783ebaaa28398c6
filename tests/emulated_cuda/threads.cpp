#include "threads.h"

#include <algorithm>
#include <boost/context/fiber.hpp>
#include <boost/context/pooled_fixedsize_stack.hpp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <string_view>
#include <vector>

namespace emulated {

bool backwards() {
  static const char* const given = std::getenv("EMULATED_CUDA_ORDER");
  static const std::string_view order = given == nullptr ? "forwards" : given;
  static std::mt19937 random;  // the same orders in each run
  return order == "mixed" ? random() % 2 == 0 : order == "backwards";
}

namespace {

using boost::context::fiber;

struct Thread {
  uint3 index{};
  fiber rest;  // the fiber of its remaining work, while it waits for others
  Meeting waits_for = Meeting::none;
  bool ended = false;
};

class Block {
 public:
  Block(dim3 shape, std::size_t shared_bytes, bool from_behind, const std::function<void()>& work)
      : shape_(shape),
        from_behind_(from_behind),
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
    blockIdx = index;
    blockDim = shape_;
    std::memset(shared_.get(), 0xff, shared_bytes_);
    for (Thread& thread : threads_) thread.ended = false;
    for (started_ = 0; started_ < threads_.size();) resume(fresh_fiber());
    while (!all_ended()) {
      if (!let_warps_go() && !let_block_go()) {
        std::fprintf(stderr, "emulated CUDA: threads of a block wait for others that wait elsewhere\n");
        std::abort();
      }
      for (std::size_t i = 0; i < threads_.size(); ++i) {
        current_ = in_order(i);
        if (threads_[current_].rest && threads_[current_].waits_for == Meeting::none)
          resume(std::move(threads_[current_].rest));
      }
    }
  }

  void meet(Meeting meeting) {
    threads_[current_].waits_for = meeting;
    scheduler_ = std::move(scheduler_).resume();
    threadIdx = threads_[current_].index;
  }

  void* shared() { return shared_.get(); }
  unsigned lane() const { return static_cast<unsigned>(current_ % warp_threads); }
  void* exchanged(unsigned lane) {
    const std::size_t thread = current_ / warp_threads * warp_threads + lane;
    if (thread >= threads_.size() || threads_[thread].ended) {
      std::fprintf(stderr,
                   "emulated CUDA: what a thread has is read by its warp when there is no such thread\n");
      std::abort();
    }
    return &exchanged_[thread];
  }

 private:
  std::size_t in_order(std::size_t i) const { return from_behind_ ? threads_.size() - 1 - i : i; }

  /// Runs threads that have not begun, one after another, until one waits. The threads of most kernels never
  /// do, and then one fiber is enough for a block.
  fiber fresh_fiber() {
    static boost::context::pooled_fixedsize_stack stacks(std::size_t{64} << 10U);
    return fiber(std::allocator_arg, stacks, [this](fiber&& scheduler) {
      scheduler_ = std::move(scheduler);
      while (started_ < threads_.size()) {
        current_ = in_order(started_++);
        threadIdx = threads_[current_].index;
        (*work_)();
        threads_[current_].ended = true;
      }
      return std::move(scheduler_);
    });
  }

  /// Resumes a fiber until its thread waits, or all of its threads have ended.
  void resume(fiber threads) {
    fiber rest = std::move(threads).resume();
    if (rest) threads_[current_].rest = std::move(rest);
  }

  bool all_ended() const {
    return std::all_of(threads_.begin(), threads_.end(), [](const Thread& thread) { return thread.ended; });
  }

  /// Lets all threads continue if all that have not ended have reached this barrier. Returns true if they
  /// were waiting for it.
  bool let_go(std::size_t first, std::size_t last, Meeting meeting) {
    bool any = false;
    for (std::size_t i = first; i < last; ++i) {
      if (threads_[i].ended) continue;
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
  bool from_behind_;
  std::vector<Thread> threads_;
  std::vector<std::uint64_t> exchanged_;
  std::size_t shared_bytes_;
  std::unique_ptr<std::byte, Free> shared_;
  const std::function<void()>* work_ = nullptr;
  fiber scheduler_;
  std::size_t started_ = 0;
  std::size_t current_ = 0;
};

Block* running = nullptr;

}  // namespace

void run_grid(dim3 grid, dim3 block, std::size_t shared_bytes, const std::function<void()>& thread) {
  const bool from_behind = backwards();
  Block one(block, shared_bytes, from_behind, thread);
  running = &one;
  gridDim = grid;
  const std::uint64_t blocks = std::uint64_t{grid.x} * grid.y * grid.z;
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
