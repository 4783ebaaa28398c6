#include "backends/cuda/moved.h"

#include <algorithm>
#include <utility>

namespace breakeven::cuda {

Moved::Moved(std::int64_t bytes, bool moves) : device_(bytes) {
  if (moves) host_.emplace(static_cast<std::size_t>(bytes));
}

Moved::Moved(Memory contents, bool moves) : device_(std::move(contents)) {
  if (!moves) return;
  host_.emplace(static_cast<std::size_t>(device_.bytes()));
  device_.download(host_->data());
}

Moved::Moved(const Buffer<std::byte>& contents, bool moves) : Moved(contents.size(), moves) {
  fill(contents);
}

void Moved::bring(cudaStream_t stream) {
  if (host_) device_.upload(host_->data(), stream);
}

void Moved::fetch(cudaStream_t stream) {
  if (host_) device_.download(host_->data(), stream);
}

void Moved::forget_on_device(cudaStream_t stream) {
  if (host_) device_.poison(stream);
}

void Moved::fill(const Buffer<std::byte>& contents) {
  device_.upload(contents.data());
  if (host_) std::copy_n(contents.data(), contents.size(), host_->data());
}

void Moved::show(Buffer<std::byte>& contents) const {
  if (host_) {
    std::copy_n(host_->data(), contents.size(), contents.data());
  } else {
    device_.download(contents.data());
  }
}

}  // namespace breakeven::cuda
