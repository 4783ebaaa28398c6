// NCCL for the emulated device, by MPI. EMULATED_NCCL_FAULT names a call that fails on rank 1: init, sum,
// gather, broadcast; or `network`: sums then never end, and are in error later. With `stall` its connection
// never ends, and with `spin` a sum, without an error.
#include "backends/cuda/nccl.h"

#include <mpi.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <thread>

#include "device.h"

// The types are those of the caller: a sanitizer compares them.
using ncclResult_t = breakeven::cuda::nccl::Result;
using ncclDataType_t = breakeven::cuda::nccl::DataType;
using ncclRedOp_t = breakeven::cuda::nccl::Operation;
using ncclUniqueId = breakeven::cuda::nccl::UniqueId;
using ncclComm_t = breakeven::cuda::nccl::Comm*;

namespace {

int rank = 0;  // of this process

bool has_fault(std::string_view fault) {
  const char* const wanted = std::getenv("EMULATED_NCCL_FAULT");
  return wanted != nullptr && fault == wanted && rank == 1;
}
ncclResult_t done_unless(std::string_view fault) {
  return static_cast<ncclResult_t>(has_fault(fault) ? 1 : 0);
}
constexpr auto invalid_argument = static_cast<ncclResult_t>(4);

void wait_for_ever_with(std::string_view fault) {
  while (has_fault(fault)) std::this_thread::sleep_for(std::chrono::seconds(1));
}

int bytes_of(std::size_t count, ncclDataType_t type) {
  return static_cast<int>(count * (static_cast<int>(type) == breakeven::cuda::nccl::float32 ? 4 : 1));
}

/// The first collective call of a communicator allocates memory and waits, which no graph can contain.
void connect() {
  static const bool connected = [] {
    void* memory = nullptr;
    cudaMalloc(&memory, 1 << 10U);
    return memory != nullptr;
  }();
  static_cast<void>(connected);
}

}  // namespace

extern "C" {

ncclResult_t ncclGetVersion(int* version) {
  *version = 22809;
  return done_unless("");
}
ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  id->bytes.fill(7);
  return done_unless("");
}
ncclResult_t ncclCommInitRank(ncclComm_t* comm, int ranks, ncclUniqueId id, int own) {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (size != ranks || own != rank || id.bytes.back() != 7) return invalid_argument;
  wait_for_ever_with("stall");
  *comm = reinterpret_cast<ncclComm_t>(new int(1));
  return done_unless("init");
}
ncclResult_t ncclCommGetAsyncError(ncclComm_t, ncclResult_t* result) {
  *result = done_unless("network");
  return static_cast<ncclResult_t>(0);
}
ncclResult_t ncclAllReduce(const void* from, void* to, std::size_t count, ncclDataType_t type, ncclRedOp_t op,
                           ncclComm_t, cudaStream_t stream) {
  if (type != static_cast<ncclDataType_t>(7) || op != static_cast<ncclRedOp_t>(0)) return invalid_argument;
  connect();
  emulated::will_touch(stream, from, 4 * count, "ncclAllReduce");
  emulated::will_touch(stream, to, 4 * count, "ncclAllReduce");
  emulated::enqueue(stream, [=] {
    wait_for_ever_with("network");
    wait_for_ever_with("spin");
    MPI_Allreduce(from == to ? MPI_IN_PLACE : from, to, static_cast<int>(count), MPI_FLOAT, MPI_SUM,
                  MPI_COMM_WORLD);
  });
  return done_unless("sum");
}
ncclResult_t ncclAllGather(const void* from, void* to, std::size_t count, ncclDataType_t type, ncclComm_t,
                           cudaStream_t stream) {
  connect();
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  emulated::will_touch(stream, from, static_cast<std::size_t>(bytes_of(count, type)), "ncclAllGather");
  emulated::will_touch(stream, to, static_cast<std::size_t>(ranks * bytes_of(count, type)), "ncclAllGather");
  emulated::enqueue(stream, [=] {
    MPI_Allgather(from, bytes_of(count, type), MPI_BYTE, to, bytes_of(count, type), MPI_BYTE, MPI_COMM_WORLD);
  });
  return done_unless("gather");
}
ncclResult_t ncclBroadcast(const void* from, void* to, std::size_t count, ncclDataType_t type, int root,
                           ncclComm_t, cudaStream_t stream) {
  connect();
  for (const void* memory : {from, static_cast<const void*>(to)})
    emulated::will_touch(stream, memory, static_cast<std::size_t>(bytes_of(count, type)), "ncclBroadcast");
  emulated::enqueue(stream, [=] {
    if (from != to) std::memcpy(to, from, static_cast<std::size_t>(bytes_of(count, type)));
    MPI_Bcast(to, bytes_of(count, type), MPI_BYTE, root, MPI_COMM_WORLD);
  });
  return done_unless("broadcast");
}
const char* ncclGetErrorString(ncclResult_t) {
  return "an emulated error";
}
const char* ncclGetLastError(ncclComm_t) {
  return "as EMULATED_NCCL_FAULT asked";
}
}
