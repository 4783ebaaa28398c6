// The device, its memory and its stream, with errors as exceptions.
#pragma once

#include <cublasLt.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "backends/cuda/capability.h"
#include "workloads/dtype.h"

namespace breakeven::cuda {

/// Throws OutOfMemory (worker/backend.h) if an allocation failed, and std::runtime_error with CUDA's message
/// for other errors. After an error from which this process cannot recover, such as an illegal access by a
/// kernel, it exits instead: a new process gets a new context.
void check(cudaError_t error, const char* what);
void check(cublasStatus_t status, const char* what);
/// "the API failed to launch on the GPU (CUBLAS_STATUS_EXECUTION_FAILED)".
std::string words_for(cublasStatus_t status);
/// Reports a library's failure with its message: as OutOfMemory if the library says so or the device's memory
/// is full, otherwise as std::runtime_error. Exits if the context is lost. Libraries have a CUDA runtime of
/// their own, so cudaGetLastError() does not report their errors.
[[noreturn]] void library_failed(const char* what, const std::string& words, bool out_of_memory = false);
/// Exits if the context is lost, and so do all ranks. `message` names the call that failed.
void end_if_context_is_lost(const std::string& message);
/// True if so little device memory is free that a library's call may have failed for this reason.
bool memory_is_full();

/// Properties of the device in use: the first visible one (CUDA_VISIBLE_DEVICES), or that of this rank
/// (device_ranks.h).
struct DeviceFacts {
  std::string name;
  Capability capability;
  int processors = 0;  // streaming multiprocessors
  std::int64_t l2_bytes = 0;
  bool shares_host_memory = false;
  std::string uuid;             // as the driver's tools show it
  std::string driver, runtime;  // CUDA versions: the newest that the driver supports, and this program's
};
/// Returns the properties. Throws std::runtime_error with the driver's message if there is no device, or with
/// the reason why this program cannot run on it.
const DeviceFacts& device_facts();
std::int64_t free_memory();
/// The elements of `dtypes` in which this device computes; and the reason why it does not compute in another
/// one, empty if its capability is sufficient.
std::vector<Dtype> computed_here(std::vector<Dtype> dtypes);
std::string why_not_here(Dtype dtype);
/// The same for convolutions and networks.
std::vector<Dtype> layer_dtypes();
std::string why_no_layers_in(Dtype dtype);

template <auto destroy>
struct DestroyedBy {
  template <typename T>
  void operator()(T* p) const {
    destroy(p);
  }
};
/// Something that a function of a library destroys.
template <typename T, auto destroy>
using Owned = std::unique_ptr<T, DestroyedBy<destroy>>;

/// Uninitialised device memory of `bytes` bytes. Throws OutOfMemory.
class Memory {
 public:
  Memory() = default;
  explicit Memory(std::int64_t bytes);
  /// Returns a copy of `bytes` bytes of host memory.
  static Memory of(const void* host, std::int64_t bytes);

  void* data() { return data_.get(); }
  const void* data() const { return data_.get(); }
  std::int64_t bytes() const { return bytes_; }
  template <typename T>
  T* as() {
    return static_cast<T*>(data());
  }
  template <typename T>
  const T* as() const {
    return static_cast<const T*>(data());
  }
  void upload(const void* host) { upload(host, 0, bytes_); }
  void download(void* host) const { download(host, 0, bytes_); }
  /// Copies `bytes` bytes of host memory to `offset`.
  void upload(const void* host, std::int64_t offset, std::int64_t bytes);
  void download(void* host, std::int64_t offset, std::int64_t bytes) const;
  /// Enqueues a copy of host memory. If that is not pinned, the host waits.
  void upload(const void* host, cudaStream_t stream) { upload(host, 0, bytes_, stream); }
  void upload(const void* host, std::int64_t offset, std::int64_t bytes, cudaStream_t stream);
  void download(void* host, cudaStream_t stream) const;
  /// Enqueues filling the memory with NaN, in any floating-point type.
  void poison(cudaStream_t stream);
  /// Enqueues filling the memory, if there is any, with zeros.
  void clear(cudaStream_t stream);

 private:
  Owned<void, cudaFree> data_;
  std::int64_t bytes_ = 0;
};

/// Pinned host memory, which the device reads and writes directly, so that copies can be enqueued. Throws
/// OutOfMemory.
template <typename T>
class PinnedMemory {
 public:
  explicit PinnedMemory(std::size_t count) {
    void* data = nullptr;
    check(cudaMallocHost(&data, count * sizeof(T)), "cudaMallocHost");
    data_.reset(static_cast<T*>(data));
  }
  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }

 private:
  Owned<T, cudaFreeHost> data_;
};

/// A point in a stream, and its time.
class Event {
 public:
  Event();
  void record(cudaStream_t stream);
  cudaEvent_t get() const { return event_.get(); }

 private:
  Owned<CUevent_st, cudaEventDestroy> event_;
};
/// Seconds between two events that have been reached. The resolution is about half a microsecond.
double seconds_between(const Event& first, const Event& last);

class Stream {
 public:
  Stream();
  cudaStream_t get() const { return stream_.get(); }
  void wait() const;

 private:
  Owned<CUstream_st, cudaStreamDestroy> stream_;
};

}  // namespace breakeven::cuda
