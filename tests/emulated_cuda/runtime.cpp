// The part of CUDA's runtime that breakeven calls (CUDA Runtime API documentation). Enqueued work is run only
// when someone waits for it, so that code that reads too early reads old contents. Memory is NaN until it is
// written. EMULATED_CUDA_MEMORY=BYTES sets the device's memory; the default is 1 GiB.
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "device.h"
#include "threads.h"

using Work = std::function<void()>;

/// The work of a forked stream from one wait to the next.
struct Part {
  std::vector<Work> work;
  std::vector<std::shared_ptr<Part>> after;  // parts of other forked streams that come before it
  bool done = false;                         // in this launch
};
using Branch = std::vector<std::shared_ptr<Part>>;

struct CUgraph_st {
  std::vector<Work> nodes;
  Branch not_joined;
};
struct CUstream_st {
  std::deque<Work> waiting;
  std::unique_ptr<CUgraph_st> recorded;  // while it is recorded
  bool recording_failed = false;
  CUstream_st* forked_from = nullptr;  // while it is recorded
  Branch branch;                       // its parts so far
};
struct CUgraphExec_st {
  std::vector<Work> nodes;
};
struct CUevent_st {
  int recorded = 0, reached = 0;          // number of times
  CUstream_st* stream = nullptr;          // on which it was last recorded
  Branch covers;                          // the parts of that stream before it, if it is a forked one
  CUstream_st* while_recorded = nullptr;  // the recorded stream, or the one that this was forked from
  std::chrono::steady_clock::time_point time;
};

namespace {

using std::byte;

constexpr std::size_t guard_bytes = 256;  // after each device allocation, checked when it is freed
constexpr unsigned char guard = 0xa5;
constexpr std::size_t code_bytes = std::size_t{64} << 10U;  // of a kernel on the device
constexpr int queue_length = 1000;  // approximate number of launches in a stream before the next one waits

struct Device {
  int index = 0;
  CUstream_st legacy;  // stream 0
  std::set<CUstream_st*> streams{&legacy};
  std::map<const byte*, std::size_t> memory, pinned;  // allocations and their bytes
  std::size_t allocated = 0;
  int most_shared_bytes = 48 << 10;
  cudaError_t last_error = cudaSuccess;
  bool gate_closed = false;
  int queued_behind_gate = 0;
  bool lost = false;  // after an illegal access no work is done, and every call reports it
};

Device& device() {
  static Device one;
  return one;
}

CUstream_st& stream_of(cudaStream_t stream) {
  return stream == nullptr ? device().legacy : *stream;
}

cudaError_t failed(cudaError_t error) {
  device().last_error = error;
  return error;
}

/// The return value of a call that succeeded.
cudaError_t done() {
  return device().lost ? failed(cudaErrorIllegalAddress) : cudaSuccess;
}

std::size_t number(const char* variable, std::size_t default_value) {
  const char* told = std::getenv(variable);
  return told == nullptr ? default_value : std::strtoull(told, nullptr, 10);
}

int major_capability() {
  return static_cast<int>(number("EMULATED_CUDA_MAJOR", 9));  // Hopper's
}

std::size_t total_bytes() {
  return number("EMULATED_CUDA_MEMORY", std::size_t{1} << 30U);
}

/// The error of a call that needs a context, if another process has the device to itself.
cudaError_t context() {
  return number("EMULATED_CUDA_TAKEN", 0) != 0 ? failed(cudaErrorDevicesUnavailable) : done();
}

/// While a graph is recorded, calls that may wait for the device are forbidden in the same thread
/// (cudaStreamCaptureModeThreadLocal), and invalidate it.
bool spoils_recording() {
  bool any = false;
  for (CUstream_st* stream : device().streams) {
    if (stream->recorded == nullptr) continue;
    stream->recording_failed = true;
    any = true;
  }
  return any;
}

[[noreturn]] void waits_for_ever(const char* what) {
  std::fprintf(stderr, "emulated CUDA: behind a closed gate, which opens only later: %s\n", what);
  std::abort();
}

void run_all(CUstream_st& stream) {
  if (device().lost) return;
  if (device().gate_closed) waits_for_ever("the host waits for the device");
  while (!stream.waiting.empty() && !device().lost) {
    const Work next = std::move(stream.waiting.front());
    stream.waiting.pop_front();
    next();
  }
}

void run_all() {
  for (CUstream_st* stream : device().streams) run_all(*stream);
}

/// Runs a stream's work up to where this event was recorded for the `record`th time.
void run_up_to(const CUevent_st& event, int record, CUstream_st& stream) {
  while (event.reached < record && !stream.waiting.empty() && !device().lost) {
    const Work next = std::move(stream.waiting.front());
    stream.waiting.pop_front();
    next();
  }
}

/// Runs parts, after the parts that come before them, unless this launch has run them.
void run_parts(const Branch& parts) {
  for (const auto& part : parts) {
    if (std::exchange(part->done, true)) continue;
    run_parts(part->after);
    for (const Work& work : part->work) {
      if (!device().lost) work();
    }
  }
}

/// Removes parts, and those that come before them, from `all`.
void remove(const Branch& parts, Branch& all) {
  for (const auto& part : parts) {
    std::erase(all, part);
    remove(part->after, all);
  }
}

/// The allocation that `at` points into; end() if there is none.
auto allocation_of(const std::map<const byte*, std::size_t>& all, const void* at) {
  const auto* const p = static_cast<const byte*>(at);
  auto found = all.upper_bound(p);
  if (found == all.begin()) return all.end();
  --found;
  return p < found->first + std::max<std::size_t>(found->second, 1) ? found : all.end();
}

bool holds(const std::map<const byte*, std::size_t>& all, const void* memory, std::size_t bytes) {
  const auto found = allocation_of(all, memory);
  return found != all.end() && static_cast<const byte*>(memory) + bytes <= found->first + found->second;
}

void* allocated(std::size_t bytes) {
  void* memory = nullptr;
  return posix_memalign(&memory, 256, std::max<std::size_t>(bytes, 1)) == 0 ? memory : nullptr;
}

/// Copies from pageable memory at once, and from pinned memory when the copy is executed; pageable memory is
/// written before the call returns (CUDA Runtime API, "API synchronization behavior").
cudaError_t copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t on) {
  CUstream_st& stream = stream_of(on);
  const bool from_device = kind != cudaMemcpyHostToDevice;
  const bool to_device = kind != cudaMemcpyDeviceToHost;
  if ((from_device && !holds(device().memory, from, bytes)) ||
      (to_device && !holds(device().memory, to, bytes)))
    return failed(cudaErrorInvalidValue);
  if (kind == cudaMemcpyHostToDevice && !holds(device().pinned, from, bytes) && stream.recorded == nullptr) {
    const auto* const first = static_cast<const byte*>(from);
    const auto staged = std::make_shared<std::vector<byte>>(first, first + bytes);
    emulated::enqueue(on, [=] { std::memcpy(to, staged->data(), bytes); });
    return done();
  }
  emulated::enqueue(on, [=] { std::memmove(to, from, bytes); });
  if (kind == cudaMemcpyDeviceToHost && !holds(device().pinned, to, bytes) && stream.recorded == nullptr)
    run_all(stream);
  return done();
}

}  // namespace

namespace emulated {

void close_gate() {
  device().gate_closed = true;
  device().queued_behind_gate = 0;
}

void open_gate() {
  device().gate_closed = false;
}

bool is_lost() {
  return device().lost;
}

bool launches_block() {
  const auto is_set = [](const char* variable) {
    const char* value = std::getenv(variable);
    return value != nullptr && std::strcmp(value, "0") != 0;
  };
  static const bool block = is_set("CUDA_LAUNCH_BLOCKING") || is_set("EMULATED_CUDA_BLOCKING");
  return block;
}

bool loads_kernel(const char* kernel) {
  if (device().gate_closed) waits_for_ever(kernel);
  if (spoils_recording()) {
    std::fprintf(stderr, "emulated CUDA: first called while a graph is recorded: %s\n", kernel);
    std::abort();
  }
  if (code_bytes > total_bytes() - device().allocated) return false;
  device().allocated += code_bytes;
  return true;
}

bool loads_own_kernel(const char* kernel) {
  if (loads_kernel(kernel)) return true;
  failed(cudaErrorMemoryAllocation);
  return false;
}

void enqueue(cudaStream_t on, Work work) {
  CUstream_st& stream = stream_of(on);
  if (device().gate_closed && ++device().queued_behind_gate > queue_length)
    waits_for_ever("more is enqueued than a stream holds");
  if (stream.forked_from != nullptr) {
    stream.branch.back()->work.push_back(std::move(work));
    stream.forked_from->recorded->nodes.emplace_back([] {});  // counts as a node of the graph
  } else if (stream.recorded != nullptr) {
    stream.recorded->nodes.push_back(std::move(work));
  } else {
    stream.waiting.push_back(std::move(work));
    if (launches_block()) run_all(stream);
  }
}

bool launches(dim3 grid, dim3 block, std::size_t shared_bytes) {
  const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
  const bool possible = grid.x >= 1 && grid.x <= 2147483647U && grid.y >= 1 && grid.y <= 65535 &&
                        grid.z >= 1 && grid.z <= 65535 && threads >= 1 && threads <= 1024 && block.z <= 64;
  if (major_capability() > 9) {
    // Compiled for Turing and Hopper only.
    failed(static_cast<cudaError_t>(number("EMULATED_CUDA_NO_CODE", cudaErrorNoKernelImageForDevice)));
  } else if (!possible) {
    failed(cudaErrorInvalidConfiguration);
  } else if (shared_bytes > static_cast<std::size_t>(device().most_shared_bytes)) {
    failed(cudaErrorInvalidValue);
  } else {
    return true;
  }
  return false;
}

cudaError_t allow(cudaFuncAttribute attribute, int value) {
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize || value > 227 << 10)
    return failed(cudaErrorInvalidValue);
  device().most_shared_bytes = std::max(device().most_shared_bytes, value);
  return done();
}

void will_touch(cudaStream_t stream, const void* memory, std::size_t bytes, const char* whose) {
  if (holds(device().memory, memory, bytes)) return;
  std::fprintf(stderr, "emulated CUDA: %s: %zu bytes are not all in an allocation of the device's\n", whose,
               bytes);
  enqueue(stream, [] { device().lost = true; });
}

}  // namespace emulated

extern "C" {

cudaError_t cudaDriverGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
/// One device, or as many as EMULATED_CUDA_DEVICES says. A process uses one of them. The UUIDs end with their
/// numbers, from EMULATED_CUDA_FIRST on.
cudaError_t cudaGetDeviceCount(int* count) {
  *count = static_cast<int>(number("EMULATED_CUDA_DEVICES", 1));
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int index) {
  int count = 0;
  cudaGetDeviceCount(&count);
  if (index < 0 || index >= count) return failed(cudaErrorInvalidDevice);
  device().index = index;
  return done();
}
cudaError_t cudaGetDevice(int* index) {
  *index = device().index;
  return done();
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int index) {
  *properties = {};
  properties->uuid.bytes[15] =
      static_cast<char>(number("EMULATED_CUDA_FIRST", 0) + static_cast<std::size_t>(index));
  const char* const name = std::getenv("EMULATED_CUDA_NAME");
  std::snprintf(properties->name, sizeof properties->name, "%s", name == nullptr ? "emulated Hopper" : name);
  properties->major = major_capability();
  properties->multiProcessorCount = 4;
  properties->l2CacheSize = 1 << 20;
  return done();
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  if (attribute != cudaDevAttrMaxSharedMemoryPerBlockOptin) return failed(cudaErrorInvalidValue);
  *value = 227 << 10;
  return done();
}

const char* cudaGetErrorString(cudaError_t error) {
  return error == cudaErrorMemoryAllocation ? "out of memory"
         : error == cudaErrorIllegalAddress ? "an illegal memory access was encountered"
                                            : "an error of the emulated device";
}
const char* cudaGetErrorName(cudaError_t error) {
  static thread_local char name[32];
  std::snprintf(name, sizeof name, "cudaError %d", static_cast<int>(error));
  return name;
}
/// Returns only errors of this runtime: libraries have their own.
cudaError_t cudaGetLastError() {
  return std::exchange(device().last_error, cudaSuccess);
}

cudaError_t cudaMalloc(void** to, std::size_t bytes) {
  if (spoils_recording()) return failed(cudaErrorStreamCaptureUnsupported);
  *to = nullptr;
  if (bytes == 0) return done();
  // With EMULATED_CUDA_SPILLS=1, allocations continue in the host's memory, as under WSL.
  const std::size_t room = total_bytes() << number("EMULATED_CUDA_SPILLS", 0);
  if (bytes > room - device().allocated) return failed(cudaErrorMemoryAllocation);
  auto* const memory = static_cast<byte*>(allocated(bytes + guard_bytes));
  if (memory == nullptr) return failed(cudaErrorMemoryAllocation);
  std::memset(memory, 0xff, bytes);
  std::memset(memory + bytes, guard, guard_bytes);
  device().memory[memory] = bytes;
  device().allocated += bytes;
  *to = memory;
  return done();
}
/// Frees memory. It waits for the device.
cudaError_t cudaFree(void* memory) {
  if (memory == nullptr) return done();
  if (spoils_recording()) return failed(cudaErrorStreamCaptureUnsupported);
  run_all();
  const auto found = device().memory.find(static_cast<byte*>(memory));
  if (found == device().memory.end()) return failed(cudaErrorInvalidValue);
  const byte* const behind = found->first + found->second;
  for (std::size_t i = 0; i < guard_bytes; ++i) {
    if (behind[i] == byte{guard}) continue;
    std::fprintf(stderr, "emulated CUDA: somebody wrote behind an allocation of %zu bytes\n", found->second);
    std::abort();
  }
  std::memset(memory, 0xff, found->second);
  device().allocated -= found->second;
  device().memory.erase(found);
  std::free(memory);
  return done();
}
cudaError_t cudaMallocHost(void** to, std::size_t bytes) {
  if (spoils_recording()) return failed(cudaErrorStreamCaptureUnsupported);
  *to = allocated(bytes);
  if (*to == nullptr) return failed(cudaErrorMemoryAllocation);
  std::memset(*to, 0xff, bytes);
  device().pinned[static_cast<byte*>(*to)] = bytes;
  return done();
}
cudaError_t cudaFreeHost(void* memory) {
  run_all();
  device().pinned.erase(static_cast<byte*>(memory));
  std::free(memory);
  return done();
}
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  *total = total_bytes();
  *free = total_bytes() - std::min(total_bytes(), device().allocated);
  return context();
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return copy(to, from, bytes, kind, stream);
}
/// Copies memory. A copy to the device may continue after the call.
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  if (spoils_recording()) return failed(cudaErrorStreamCaptureUnsupported);
  const cudaError_t error = copy(to, from, bytes, kind, nullptr);
  if (kind == cudaMemcpyDeviceToHost) run_all(device().legacy);
  return error;
}
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
  if (!holds(device().memory, to, bytes)) return failed(cudaErrorInvalidValue);
  emulated::enqueue(stream, [=] { std::memset(to, value, bytes); });
  return done();
}
cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
  if (spoils_recording()) return failed(cudaErrorStreamCaptureUnsupported);
  return cudaMemsetAsync(to, value, bytes, nullptr);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* made, unsigned flags) {
  if (flags != cudaStreamNonBlocking) return failed(cudaErrorInvalidValue);
  *made = new CUstream_st;
  device().streams.insert(*made);
  return context();
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  run_all(*stream);
  device().streams.erase(stream);
  delete stream;
  return done();
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  if (stream_of(stream).recorded != nullptr) {
    spoils_recording();
    return failed(cudaErrorStreamCaptureUnsupported);
  }
  run_all(stream_of(stream));
  return done();
}
cudaError_t cudaDeviceSynchronize() {
  if (spoils_recording()) return failed(cudaErrorStreamCaptureUnsupported);
  run_all();
  return context();
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  if (stream == nullptr || stream->recorded != nullptr) return failed(cudaErrorIllegalState);
  stream->recorded = std::make_unique<CUgraph_st>();
  stream->recording_failed = false;
  return done();
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  *graph = nullptr;
  if (stream->recorded == nullptr) return failed(cudaErrorIllegalState);
  const std::unique_ptr<CUgraph_st> recorded = std::move(stream->recorded);
  for (CUstream_st* other : device().streams) {
    if (other->forked_from != stream) continue;
    other->forked_from = nullptr;
    other->branch.clear();
  }
  if (!recorded->not_joined.empty()) return failed(cudaErrorStreamCaptureUnjoined);
  if (stream->recording_failed || number("EMULATED_CUDA_UNRECORDABLE", 0) != 0)
    return failed(cudaErrorStreamCaptureInvalidated);
  *graph = new CUgraph_st(*recorded);
  return done();
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* made, cudaGraph_t graph, unsigned long long) {
  *made = new CUgraphExec_st{graph->nodes};
  return done();
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) {
  device().queued_behind_gate += static_cast<int>(graph->nodes.size());
  emulated::enqueue(stream, [graph] {
    for (const Work& node : graph->nodes) node();
  });
  return done();
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return done();
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph) {
  run_all();  // a graph in progress ends first
  delete graph;
  return done();
}

cudaError_t cudaEventCreate(cudaEvent_t* made) {
  *made = new CUevent_st;
  return done();
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  run_all();
  delete event;
  return done();
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  event->stream = &stream_of(stream);
  event->covers = event->stream->branch;
  event->while_recorded = event->stream->recorded != nullptr ? event->stream : event->stream->forked_from;
  if (event->while_recorded != nullptr) return done();
  emulated::enqueue(stream, [event, record = ++event->recorded] {
    event->time = std::chrono::steady_clock::now();
    event->reached = record;
  });
  return done();
}
/// Runs a branch as early as possible, or as late as possible: see backwards().
cudaError_t cudaStreamWaitEvent(cudaStream_t on, cudaEvent_t event, unsigned) {
  CUstream_st& stream = stream_of(on);
  CUstream_st* const recorded = event->while_recorded;
  if (recorded == nullptr) {
    emulated::enqueue(on, [event, record = event->recorded, recorded_on = event->stream] {
      run_up_to(*event, record, *recorded_on);
    });
    return done();
  }
  if (recorded->recorded == nullptr) return failed(cudaErrorStreamCaptureInvalidated);
  CUgraph_st& graph = *recorded->recorded;
  if (&stream != recorded) {
    stream.forked_from = recorded;
    const auto part = std::make_shared<Part>();
    part->after = stream.branch;
    part->after.insert(part->after.end(), event->covers.begin(), event->covers.end());
    stream.branch.push_back(part);
    graph.not_joined.push_back(part);
    graph.nodes.emplace_back([part] {
      part->done = false;
      if (!emulated::backwards()) run_parts({part});
    });
  } else if (event->stream != recorded) {
    remove(event->covers, graph.not_joined);
    graph.nodes.emplace_back([parts = event->covers] { run_parts(parts); });
  }
  return done();
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  if (spoils_recording()) return failed(cudaErrorStreamCaptureUnsupported);
  if (event->reached < event->recorded) run_all();
  return done();
}
/// EMULATED_CUDA_SLOWDOWN times as long as on the host: a hundred times if it is not given, so that most
/// calls take longer than a look of the backend's races, and a look is one call.
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t first, cudaEvent_t last) {
  const char* const given = std::getenv("EMULATED_CUDA_SLOWDOWN");
  const float slowdown = given == nullptr ? 100 : std::strtof(given, nullptr);
  if (first->recorded == 0 || last->recorded == 0) return failed(cudaErrorInvalidResourceHandle);
  if (first->reached < first->recorded || last->reached < last->recorded) return failed(cudaErrorNotReady);
  *milliseconds = slowdown * std::chrono::duration<float, std::milli>(last->time - first->time).count();
  return done();
}
}
