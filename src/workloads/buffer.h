// Memory for tensors: page-aligned if it takes several pages, on huge pages if the system grants them.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

namespace breakeven {

/// `count` elements of T, uninitialised. Throws std::bad_alloc.
///
/// Large arrays have the same alignment to a page, because processors mistake a load for one of an earlier
/// store's value if the lowest 12 bits of both addresses agree, and wait (Intel 64 and IA-32 Architectures
/// Optimization Reference Manual, "4-KByte aliasing"). Arrays that begin a cache line apart, as malloc places
/// them after others were freed, cost a triad in the caches up to 30 %; those with the same alignment do not.
template <typename T>
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::int64_t count) : count_(count) {
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(T);
    const std::size_t alignment = bytes >= huge_page ? huge_page : bytes >= several_pages ? page : cache_line;
    const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    data_.reset(static_cast<T*>(std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded)));
    if (data_ == nullptr) throw std::bad_alloc();
    // If the system refuses this advice, only speed is lost.
    if (bytes >= huge_page) madvise(data_.get(), rounded, MADV_HUGEPAGE);
  }
  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  std::int64_t size() const { return count_; }
  T& operator[](std::int64_t i) { return data_.get()[i]; }
  const T& operator[](std::int64_t i) const { return data_.get()[i]; }

 private:
  static constexpr std::size_t cache_line = 64, page = 4096, several_pages = 4 * page;
  static constexpr std::size_t huge_page = std::size_t{2} << 20U;

  struct Free {
    void operator()(T* p) const { std::free(p); }
  };
  std::unique_ptr<T, Free> data_;
  std::int64_t count_ = 0;
};

}  // namespace breakeven
