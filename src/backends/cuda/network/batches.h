// Copies the next batches to the device.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <memory>
#include <span>

#include "backends/cuda/kernels/kernels.h"
#include "network/model.h"
#include "workloads/interface.h"

namespace breakeven::cuda {

/// The next batch, as kernels read it.
struct Batch {
  DeviceImages images;
  RowsPlace* place = nullptr;
};

class Batches : public Interface {
 public:
  /// Enqueues making these rows, as many as the task's batch, the next of batch(split). The host waits only
  /// if it is many batches ahead of the device. Discards the rows of take_ahead().
  virtual void send(Split split, std::span<const std::uint32_t> rows, cudaStream_t stream) = 0;
  /// The same as Model's functions of these names.
  virtual std::int64_t most_ahead() const { return 0; }
  virtual void take_ahead(std::span<const std::uint32_t> /*rows*/, cudaStream_t /*stream*/) {}
  /// Takes one of the batches passed in advance. Returns false if there is none.
  virtual bool take_one() { return false; }
  /// Returns the next batch. The memory is the same each time. A split is copied to the device when it is
  /// first requested.
  virtual Batch batch(Split split) = 0;
  /// Enqueues copying a whole split to the device again, if the task's transfer is `once`.
  virtual void copy_inputs_to_device(Split /*split*/, cudaStream_t /*stream*/) {}
};

/// The number of batches whose row numbers can be sent, from a data set on the device, before the device must
/// have begun one of them.
std::int64_t batches_sent_at_once(std::int64_t batch);

/// Makes batches for the task's transfer: from a data set on the device, which needs only row numbers, or
/// from images in host memory, which are copied. Throws OutOfMemory.
std::unique_ptr<Batches> make_batches(const ModelTask& task);

}  // namespace breakeven::cuda
