#include "backends/cuda/network/row_queue.h"

#include <algorithm>

namespace breakeven::cuda {

RowQueue::RowQueue(std::int64_t batch)
    : batch_(static_cast<std::size_t>(batch)),
      waiting_(places * batch_),
      rows_(batch * static_cast<std::int64_t>(sizeof(std::uint32_t))) {}

void RowQueue::send(std::span<const std::uint32_t> rows, cudaStream_t stream) {
  constexpr std::size_t half = places / 2;
  Event& taken = taken_[next_ / half];
  // An event that was never recorded is taken for reached.
  if (next_ % half == 0) check(cudaEventSynchronize(taken.get()), "the device");
  std::uint32_t* place = waiting_.data() + next_ * batch_;
  std::copy(rows.begin(), rows.end(), place);
  check(cudaMemcpyAsync(rows_.data(), place, rows.size_bytes(), cudaMemcpyHostToDevice, stream),
        "copying to the device");
  if (next_ % half == half - 1) taken.record(stream);
  next_ = (next_ + 1) % places;
}

}  // namespace breakeven::cuda
