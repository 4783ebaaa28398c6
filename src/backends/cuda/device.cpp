#include "backends/cuda/device.h"

#include <fmt/format.h>

#include <filesystem>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "worker/backend.h"
#include "worker/communicator.h"

namespace breakeven::cuda {
namespace {

std::string words_for(cudaError_t error) {
  return fmt::format("{} ({})", cudaGetErrorString(error), cudaGetErrorName(error));
}

/// True if the GPU has no code in this program: neither for its architecture nor for its driver to compile.
/// The driver may refuse to compile PTX of a newer toolkit, lack its compiler (libnvidia-ptxjitcompiler), or
/// be set not to use it.
bool is_without_code(cudaError_t error) {
  switch (error) {
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidPtx:
    case cudaErrorUnsupportedPtxVersion:
    case cudaErrorJitCompilerNotFound:
    case cudaErrorJitCompilationDisabled:
      return true;
    default:
      return false;
  }
}

/// The remedy for a program without code that this GPU, or its driver's compiler, could use.
std::string remedy_for_no_code() {
  const Capability capability = device_facts().capability;
  return fmt::format("; build breakeven with -DCMAKE_CUDA_ARCHITECTURES={}{}", capability.major,
                     capability.minor);
}

/// The usual cause of a device that is unavailable. Without a context, none is lost.
constexpr const char* remedy_for_exclusive_mode =
    "; if the GPU is in exclusive mode (nvidia-smi -q -d COMPUTE), another program has it: measure one GPU "
    "backend with one number of ranks at a time, or ask an administrator for 'nvidia-smi -c 0'";

/// A UUID as `nvidia-smi -L` shows it: GPU-00112233-4455-6677-8899-aabbccddeeff.
std::string written(const cudaUUID_t& uuid) {
  std::string text = "GPU";
  for (std::size_t i = 0; i < std::size(uuid.bytes); ++i) {
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
  }
  return text;
}

DeviceFacts read_device_facts() {
  int driver = 0;
  int runtime = 0;
  check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0)
    throw std::runtime_error("no CUDA device can be used: " +
                             why_no_driver(std::filesystem::exists("/proc/driver/nvidia/version")));
  int count = 0;
  const cudaError_t counted = cudaGetDeviceCount(&count);
  if (counted == cudaErrorInsufficientDriver)
    throw std::runtime_error("no CUDA device can be used: " + why_driver_is_too_old(driver, runtime));
  // Not with check(): there is no context yet that could be lost.
  if (counted != cudaSuccess) throw std::runtime_error("no CUDA device can be used: " + words_for(counted));
  if (count == 0) throw std::runtime_error("no CUDA device can be used: none is visible");
  int used = 0;
  check(cudaGetDevice(&used), "cudaGetDevice");
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, used), "cudaGetDeviceProperties");
  const Capability capability{properties.major, properties.minor};
  if (const auto reason = why_no_code(properties.name, capability, compiled_architectures()); !reason.empty())
    throw std::runtime_error("no CUDA device can be used: " + reason);
  return {.name = properties.name,
          .capability = capability,
          .processors = properties.multiProcessorCount,
          .l2_bytes = properties.l2CacheSize,
          .shares_host_memory = properties.integrated != 0,
          .uuid = written(properties.uuid),
          .driver = cuda_version(driver),
          .runtime = cuda_version(runtime)};
}

}  // namespace

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  const std::string message = fmt::format("{}: {}", what, words_for(error));
  cudaGetLastError();  // clear it, or the next call would report it
  if (is_without_code(error)) throw Unsupported(message + remedy_for_no_code());
  if (error == cudaErrorMemoryAllocation) throw OutOfMemory(message);
  if (error == cudaErrorDevicesUnavailable) throw std::runtime_error(message + remedy_for_exclusive_mode);
  end_if_context_is_lost(message);
  throw std::runtime_error(message);
}

/// Errors that leave the context unusable are returned by every later call.
void end_if_context_is_lost(const std::string& message) {
  cudaDeviceSynchronize();  // may return an error of earlier work, once
  const cudaError_t error = cudaDeviceSynchronize();
  cudaGetLastError();
  // Waiting is not allowed while a graph is recorded: this error does not mean that the context is lost.
  if (error == cudaSuccess || error == cudaErrorStreamCaptureUnsupported) return;
  if (error == cudaErrorDevicesUnavailable) return;  // there is no context yet
  end_all_ranks(fmt::format("{}; the device's context is lost: {}", message, words_for(error)));
}

bool memory_is_full() {
  // Libraries load kernels and allocate scratch memory: more of both on larger devices.
  constexpr std::size_t little = 64;  // memory is full if less than 1/64 is free
  std::size_t free = 0;
  std::size_t total = 0;
  return cudaMemGetInfo(&free, &total) == cudaSuccess && free < total / little;
}

void library_failed(const char* what, const std::string& words, bool out_of_memory) {
  const std::string message = fmt::format("{}: {}", what, words);
  end_if_context_is_lost(message);
  if (out_of_memory || memory_is_full())
    throw OutOfMemory(
        fmt::format("{}; {} MiB of the device's memory are free", message, free_memory() >> 20));
  throw std::runtime_error(message);
}

std::string words_for(cublasStatus_t status) {
  return fmt::format("{} ({})", cublasLtGetStatusString(status), cublasLtGetStatusName(status));
}

void check(cublasStatus_t status, const char* what) {
  if (status != CUBLAS_STATUS_SUCCESS)
    library_failed(what, words_for(status), status == CUBLAS_STATUS_ALLOC_FAILED);
}

const DeviceFacts& device_facts() {
  static const DeviceFacts facts = read_device_facts();
  return facts;
}

std::int64_t free_memory() {
  std::size_t free = 0;
  std::size_t total = 0;
  check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  return static_cast<std::int64_t>(free);
}

std::vector<Dtype> computed_here(std::vector<Dtype> dtypes) {
  return computed_by(device_facts().capability, std::move(dtypes));
}

std::string why_not_here(Dtype dtype) {
  const DeviceFacts& device = device_facts();
  return why_not(dtype, device.name, device.capability);
}

std::vector<Dtype> layer_dtypes() {
  return computed_here({Dtype::f32, Dtype::f16, Dtype::tf32, Dtype::bf16});
}

std::string why_no_layers_in(Dtype dtype) {
  return facts(dtype).in_networks ? why_not_here(dtype) : "";
}

Memory::Memory(std::int64_t bytes) : bytes_(bytes) {
  // Under WSL, an allocation that does not fit succeeds, in the host's memory. GPUs that share the host's
  // memory report less of it as free than there is.
  if (const std::int64_t free = free_memory(); bytes > free && !device_facts().shares_host_memory) {
    throw OutOfMemory(fmt::format("needs {:.3g} GiB of the device's memory and {:.3g} GiB is free",
                                  static_cast<double>(bytes) / 0x1p30, static_cast<double>(free) / 0x1p30));
  }
  void* data = nullptr;
  check(cudaMalloc(&data, static_cast<std::size_t>(bytes)), "cudaMalloc");
  data_.reset(data);
}

Memory Memory::of(const void* host, std::int64_t bytes) {
  Memory memory(bytes);
  memory.upload(host);
  return memory;
}

void Memory::upload(const void* host, std::int64_t offset, std::int64_t bytes) {
  check(cudaMemcpy(as<std::byte>() + offset, host, static_cast<std::size_t>(bytes), cudaMemcpyHostToDevice),
        "copying to the device");
  // A copy from pageable memory may still be in progress, and other streams do not wait for it (CUDA Runtime
  // API, "API synchronization behavior").
  check(cudaStreamSynchronize(nullptr), "copying to the device");
}

void Memory::download(void* host, std::int64_t offset, std::int64_t bytes) const {
  check(cudaMemcpy(host, as<std::byte>() + offset, static_cast<std::size_t>(bytes), cudaMemcpyDeviceToHost),
        "copying from the device");
}

void Memory::upload(const void* host, std::int64_t offset, std::int64_t bytes, cudaStream_t stream) {
  check(cudaMemcpyAsync(as<std::byte>() + offset, host, static_cast<std::size_t>(bytes),
                        cudaMemcpyHostToDevice, stream),
        "copying to the device");
}

void Memory::download(void* host, cudaStream_t stream) const {
  check(cudaMemcpyAsync(host, data(), static_cast<std::size_t>(bytes_), cudaMemcpyDeviceToHost, stream),
        "copying from the device");
}

void Memory::poison(cudaStream_t stream) {
  // All bits set is a NaN in every floating-point format.
  check(cudaMemsetAsync(data(), 0xff, static_cast<std::size_t>(bytes_), stream), "cudaMemset");
}

void Memory::clear(cudaStream_t stream) {
  if (bytes_ > 0) check(cudaMemsetAsync(data(), 0, static_cast<std::size_t>(bytes_), stream), "cudaMemset");
}

Event::Event() {
  cudaEvent_t event = nullptr;
  check(cudaEventCreate(&event), "cudaEventCreate");
  event_.reset(event);
}

void Event::record(cudaStream_t stream) {
  check(cudaEventRecord(get(), stream), "cudaEventRecord");
}

double seconds_between(const Event& first, const Event& last) {
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, first.get(), last.get()), "cudaEventElapsedTime");
  return 1e-3 * static_cast<double>(milliseconds);
}

Stream::Stream() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
  stream_.reset(stream);
}

void Stream::wait() const {
  check(cudaStreamSynchronize(get()), "the device");
}

}  // namespace breakeven::cuda
