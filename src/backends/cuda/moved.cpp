#include "backends/cuda/moved.h"

#include <algorithm>
#include <utility>

namespace breakeven::cuda {
namespace {

/// Rounds up, so that each of several sets has the alignment of an allocation.
std::int64_t rounded(std::int64_t bytes) {
  constexpr std::int64_t alignment = 256;
  return (bytes + alignment - 1) / alignment * alignment;
}

}  // namespace

Moved::Moved(std::int64_t bytes, bool moves, std::int64_t sets)
    : sets_(sets), device_(sets == 1 ? bytes : sets * rounded(bytes)) {
  if (moves) host_.emplace(static_cast<std::size_t>(bytes));
}

Moved::Moved(Memory contents, bool moves) : device_(std::move(contents)) {
  if (!moves) return;
  host_.emplace(static_cast<std::size_t>(device_.bytes()));
  device_.download(host_->data());
}

Moved::Moved(const Buffer<std::byte>& contents, bool moves, std::int64_t sets)
    : Moved(contents.size(), moves, sets) {
  fill(contents);
}

void Moved::copy_inputs_to_device(cudaStream_t stream) {
  if (host_) device_.upload(host_->data(), stream);
}

void Moved::copy_outputs_to_host(cudaStream_t stream) {
  if (host_) device_.download(host_->data(), stream);
}

void Moved::forget_on_device(cudaStream_t stream) {
  if (host_) device_.poison(stream);
}

void Moved::fill(const Buffer<std::byte>& contents) {
  for (std::int64_t set = 0; set < sets_; ++set)
    device_.upload(contents.data(), set * step(), contents.size());
  if (host_) std::copy_n(contents.data(), contents.size(), host_->data());
}

void Moved::show(Buffer<std::byte>& contents) const {
  if (host_) {
    std::copy_n(host_->data(), contents.size(), contents.data());
  } else {
    device_.download(contents.data(), (sets_ - 1) * step(), contents.size());
  }
}

}  // namespace breakeven::cuda
