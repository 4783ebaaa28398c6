// The next batches on their way to the device.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <memory>
#include <span>

#include "backends/cuda/kernels/kernels.h"
#include "network/model.h"
#include "workloads/interface.h"

namespace breakeven::cuda {

/// The next batch, for kernels.
struct Batch {
  DeviceImages images;
  RowsPlace* place = nullptr;
};

class Batches : public Interface {
 public:
  /// Makes these rows, as many as the task's batch, the next of batch(split); enqueued. The host waits only
  /// where it is many batches ahead of the device. Forgets the rows of take_ahead().
  virtual void send(Split split, std::span<const std::uint32_t> rows, cudaStream_t stream) = 0;
  /// Model's functions of these names.
  virtual std::int64_t most_ahead() const { return 0; }
  virtual void take_ahead(std::span<const std::uint32_t> /*rows*/, cudaStream_t /*stream*/) {}
  /// True once for each batch that was taken ahead: it is there.
  virtual bool take_one() { return false; }
  /// The same memory each time. A split is brought to the device when it is first asked for.
  virtual Batch batch(Split split) = 0;
  /// Enqueues the way of a whole split to the device, again, where the task moves it as a whole.
  virtual void bring(Split /*split*/, cudaStream_t /*stream*/) {}
};

/// Makes batches by the task's transfer: of a data set on the device, which needs only row numbers, or of
/// images in host memory, which are sent. Throws OutOfMemory.
std::unique_ptr<Batches> make_batches(const ModelTask& task);

}  // namespace breakeven::cuda
