#include "backends/cuda/device_ranks.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <thread>

#include "backends/cuda/device.h"
#include "backends/cuda/nccl.h"
#include "worker/communicator.h"

namespace breakeven::cuda {
namespace {

/// The end of a message on a failure of NCCL: remedies.
std::string remedy_for_nccl() {
  int visible = 0;
  if (communicator().ranks_here() > 1 && cudaGetDeviceCount(&visible) == cudaSuccess && visible == 1) {
    return "; each rank sees one GPU, and NCCL may not reach those of the others: let each rank see all of "
           "its host (srun --gpu-bind=none), or set NCCL_P2P_DISABLE=1 and NCCL_CUMEM_ENABLE=0, or "
           "BREAKEVEN_NCCL=none, which uses MPI";
  }
  return "; BREAKEVEN_NCCL=none uses MPI";
}

/// The seconds in which NCCL must connect the ranks.
double patience_with_nccl() {
  constexpr double usual = 60;
  const char* const variable = std::getenv("BREAKEVEN_NCCL_SECONDS");
  const double wanted = variable == nullptr ? 0 : std::strtod(variable, nullptr);
  return wanted > 0 ? wanted : usual;
}

/// The state of a connection by NCCL, and a thread that looks at it until the process ends. It ends all ranks
/// where NCCL would wait for ever: for a connection that a firewall or another network prevents, in a kernel
/// that does not reach the memory of another GPU, and after a fault of the network between GPUs.
class WatchedConnection {
 public:
  WatchedConnection() : state_(std::make_shared<State>()) {
    std::thread([state = state_] { watch(*state); }).detach();
  }
  /// To be called when NCCL has made its communicator.
  void note_made(nccl::Comm* comm) { state_->comm = comm; }
  /// To be called when a first collective call has ended.
  void note_used() { state_->is_used = true; }

 private:
  struct State {
    std::atomic<nccl::Comm*> comm = nullptr;  // null until it is made
    std::atomic<bool> is_used = false;
    std::string remedy = remedy_for_nccl();
  };

  [[noreturn]] static void watch(const State& state) {
    constexpr std::chrono::milliseconds interval{500};
    const nccl::Library& nccl = nccl::library();
    const double patience = patience_with_nccl();
    for (std::chrono::duration<double> waited{0};; waited += interval) {
      if (!state.is_used && waited.count() >= patience) {
        end_all_ranks(
            fmt::format(
                "NCCL has not connected the ranks within {:g} s: NCCL_SOCKET_IFNAME selects a network, "
                "NCCL_P2P_DISABLE=1 avoids what an IOMMU or ACS breaks, NCCL_DEBUG=INFO says more, "
                "BREAKEVEN_NCCL=none uses MPI; BREAKEVEN_NCCL_SECONDS is the limit",
                patience),
            true);
      }
      std::this_thread::sleep_for(interval);
      nccl::Comm* const comm = state.comm;
      nccl::Result failed = nccl::success;
      if (comm == nullptr || nccl.comm_get_async_error(comm, &failed) != nccl::success ||
          failed == nccl::success || failed == nccl::in_progress)
        continue;
      end_all_ranks(fmt::format("NCCL: {}{}", nccl::words_for(failed, comm), state.remedy));
    }
  }

  std::shared_ptr<State> state_;
};

/// Ranks that communicate by NCCL. Its communicator is kept until the process ends.
class NcclRanks final : public DeviceRanks {
 public:
  NcclRanks() {
    Communicator& ranks = communicator();
    nccl::UniqueId id;
    if (ranks.rank() == 0) check(nccl_.get_unique_id(&id), "ncclGetUniqueId");
    ranks.broadcast(&id, sizeof id, 0);
    check(nccl_.comm_init_rank(&comm_, ranks.size(), id, ranks.rank()), "ncclCommInitRank");
    connection_.note_made(comm_);
  }

  void sum_of(const float* from, float* to, std::int64_t count, cudaStream_t stream) override {
    check(
        nccl_.all_reduce(from, to, static_cast<std::size_t>(count), nccl::float32, nccl::sum, comm_, stream),
        "ncclAllReduce");
  }
  void gather(const void* own, std::int64_t bytes, void* all, cudaStream_t stream) override {
    check(nccl_.all_gather(own, all, static_cast<std::size_t>(bytes), nccl::int8, comm_, stream),
          "ncclAllGather");
  }
  void broadcast(void* data, std::int64_t bytes, int root, cudaStream_t stream) override {
    check(nccl_.broadcast(data, data, static_cast<std::size_t>(bytes), nccl::int8, root, comm_, stream),
          "ncclBroadcast");
  }
  void note_connected() override { connection_.note_used(); }

 private:
  /// Throws std::runtime_error with NCCL's message if a call failed.
  void check(nccl::Result result, const char* call) const {
    if (result == nccl::success) return;
    throw std::runtime_error(
        fmt::format("{}: {}{}", call, nccl::words_for(result, comm_), remedy_for_nccl()));
  }

  const nccl::Library& nccl_ = nccl::library();
  WatchedConnection connection_;
  nccl::Comm* comm_ = nullptr;
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
  // NCCL for a newer CUDA contains that CUDA's runtime, which may need a newer driver.
  return fmt::format(
      "ranks communicate by {}, because NCCL cannot be used: {}; BREAKEVEN_NCCL names its file (PyPI: "
      "nvidia-nccl-cu{})",
      rank_library(), nccl.why_not, CUDART_VERSION / 1000);
}

void use_device_of_rank() {
  const Communicator& ranks = communicator();
  int count = 0;
  if (ranks.size() == 1 || cudaGetDeviceCount(&count) != cudaSuccess || count <= ranks.index_here()) return;
  check(cudaSetDevice(ranks.index_here()), "cudaSetDevice");
}

}  // namespace breakeven::cuda
