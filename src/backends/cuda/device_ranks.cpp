#include "backends/cuda/device_ranks.h"

#include <fmt/format.h>

#include <boost/asio/ip/host_name.hpp>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string_view>
#include <thread>

#include "backends/cuda/device.h"
#include "backends/cuda/nccl.h"
#include "worker/communicator.h"
#include "worker/rank_answers.h"

namespace breakeven::cuda {
namespace {

/// Ranks that communicate by NCCL. Its communicator is kept until the process ends.
class NcclRanks final : public DeviceRanks {
 public:
  NcclRanks() {
    Communicator& ranks = communicator();
    nccl::UniqueId id;
    if (ranks.rank() == 0) nccl::check(nccl_.get_unique_id(&id), "ncclGetUniqueId", nullptr);
    ranks.broadcast(&id, sizeof id, 0);
    nccl::check(nccl_.comm_init_rank(&comm_, ranks.size(), id, ranks.rank()), "ncclCommInitRank", nullptr);
    std::thread([this] { watch(); }).detach();  // until the process ends
  }

  void sum_of(const float* from, float* to, std::int64_t count, cudaStream_t stream) override {
    nccl::check(
        nccl_.all_reduce(from, to, static_cast<std::size_t>(count), nccl::float32, nccl::sum, comm_, stream),
        "ncclAllReduce", comm_);
  }
  void gather(const void* own, std::int64_t bytes, void* all, cudaStream_t stream) override {
    nccl::check(nccl_.all_gather(own, all, static_cast<std::size_t>(bytes), nccl::int8, comm_, stream),
                "ncclAllGather", comm_);
  }
  void broadcast(void* data, std::int64_t bytes, int root, cudaStream_t stream) override {
    nccl::check(nccl_.broadcast(data, data, static_cast<std::size_t>(bytes), nccl::int8, root, comm_, stream),
                "ncclBroadcast", comm_);
  }

 private:
  /// Ends all ranks if the network between GPUs fails: NCCL's kernels then wait for ever, and the host with
  /// them.
  void watch() const {
    for (;;) {
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
      nccl::Result failed = nccl::success;
      if (nccl_.comm_get_async_error(comm_, &failed) != nccl::success || failed == nccl::success) continue;
      end_all_ranks(fmt::format("{}: NCCL: {}", rank_text(rank_, host_), nccl::words_for(failed, comm_)));
    }
  }

  const nccl::Library& nccl_ = nccl::library();
  nccl::Comm* comm_ = nullptr;
  std::size_t rank_ = static_cast<std::size_t>(communicator().rank());
  std::string host_ = boost::asio::ip::host_name();
};

/// True if MPI is given the addresses of device memory.
bool mpi_reads_device_memory() {
  const char* const variable = std::getenv("BREAKEVEN_CUDA_AWARE_MPI");
  return variable == nullptr ? communicator().reads_device_memory() : std::string_view(variable) == "1";
}

/// Pinned host memory that grows with what it is used for.
class Staging {
 public:
  std::byte* of(std::int64_t bytes) {
    if (bytes > bytes_) {
      bytes_ = 0;  // if there is not enough memory
      memory_.emplace(static_cast<std::size_t>(bytes));
      bytes_ = bytes;
    }
    return memory_->data();
  }

 private:
  std::optional<PinnedMemory<std::byte>> memory_;
  std::int64_t bytes_ = 0;
};

void wait(cudaStream_t stream) {
  check(cudaStreamSynchronize(stream), "the device");
}

/// Ranks that communicate by MPI, which reads and writes device memory.
class MpiRanks final : public DeviceRanks {
 public:
  void sum_of(const float* from, float* to, std::int64_t count, cudaStream_t stream) override {
    wait(stream);
    from == to ? ranks_.sum(to, count) : ranks_.sum_of(from, to, count);
  }
  void gather(const void* own, std::int64_t bytes, void* all, cudaStream_t stream) override {
    wait(stream);
    ranks_.gather(own, bytes, all);
  }
  void broadcast(void* data, std::int64_t bytes, int root, cudaStream_t stream) override {
    wait(stream);
    ranks_.broadcast(data, bytes, root);
  }

 private:
  Communicator& ranks_ = communicator();
};

/// Ranks that communicate by MPI through pinned host memory.
class StagedMpiRanks final : public DeviceRanks {
 public:
  void sum_of(const float* from, float* to, std::int64_t count, cudaStream_t stream) override {
    const std::int64_t bytes = count * static_cast<std::int64_t>(sizeof(float));
    auto* const values = reinterpret_cast<float*>(own_.of(bytes));
    copy_to_host(from, values, bytes, stream);
    ranks_.sum(values, count);
    copy_to_device(values, to, bytes, stream);
  }

  void gather(const void* own, std::int64_t bytes, void* all, cudaStream_t stream) override {
    std::byte* const mine = own_.of(bytes);
    std::byte* const everybodys = all_.of(bytes * ranks_.size());
    copy_to_host(own, mine, bytes, stream);
    ranks_.gather(mine, bytes, everybodys);
    copy_to_device(everybodys, all, bytes * ranks_.size(), stream);
  }

  void broadcast(void* data, std::int64_t bytes, int root, cudaStream_t stream) override {
    std::byte* const values = own_.of(bytes);
    const bool is_root = ranks_.rank() == root;
    is_root ? copy_to_host(data, values, bytes, stream) : wait(stream);
    ranks_.broadcast(values, bytes, root);
    if (!is_root) copy_to_device(values, data, bytes, stream);
  }

 private:
  // Both wait: MPI reads what the first has copied, and the next call may overwrite what the second copies.
  static void copy_to_host(const void* from, void* to, std::int64_t bytes, cudaStream_t stream) {
    copy(from, to, bytes, cudaMemcpyDeviceToHost, stream);
  }
  static void copy_to_device(const void* from, void* to, std::int64_t bytes, cudaStream_t stream) {
    copy(from, to, bytes, cudaMemcpyHostToDevice, stream);
  }
  static void copy(const void* from, void* to, std::int64_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
    check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), kind, stream), "cudaMemcpyAsync");
    wait(stream);
  }

  Communicator& ranks_ = communicator();
  Staging own_, all_;
};

std::unique_ptr<DeviceRanks> join() {
  if (ranks_enqueue()) return std::make_unique<NcclRanks>();
  if (mpi_reads_device_memory()) return std::make_unique<MpiRanks>();
  return std::make_unique<StagedMpiRanks>();
}

}  // namespace

DeviceRanks& device_ranks() {
  // Never destroyed: its memory and its connections end with the process, in whatever order.
  static DeviceRanks& ranks = *join().release();
  return ranks;
}

bool ranks_enqueue() {
  return nccl::library().why_not.empty();
}

std::string rank_library() {
  if (ranks_enqueue()) return "NCCL " + nccl::library().version;
  return fmt::format("{} {}", communicator().library(),
                     mpi_reads_device_memory() ? "from device memory" : "through host memory");
}

std::string rank_warning() {
  if (communicator().size() == 1) return "";
  const nccl::Library& nccl = nccl::library();
  if (nccl.why_not.empty() || nccl.is_unwanted) return "";
  return fmt::format(
      "ranks communicate by {}, because NCCL cannot be used: {}; BREAKEVEN_NCCL names its file (PyPI: "
      "nvidia-nccl-cu13)",
      rank_library(), nccl.why_not);
}

void use_device_of_rank() {
  const Communicator& ranks = communicator();
  int count = 0;
  if (ranks.size() == 1 || cudaGetDeviceCount(&count) != cudaSuccess || count <= ranks.index_here()) return;
  check(cudaSetDevice(ranks.index_here()), "cudaSetDevice");
}

}  // namespace breakeven::cuda
