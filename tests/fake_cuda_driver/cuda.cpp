// Replaces NVIDIA's driver for the start of CUDA's runtime. The environment defines its answers; it has no
// other functions.
//   BREAKEVEN_FAKE_CUDA_VERSION=11040   the newest CUDA that it supports, here 11.4
//   BREAKEVEN_FAKE_CUDA_INIT=100        the result of cuInit: a CUresult, here CUDA_ERROR_NO_DEVICE
// It has no devices, because the interface with which the runtime queries one is not public
// (cuGetExportTable).
#include <cuda.h>

#include <cstdlib>
#include <cstring>

namespace {

int told(const char* name) {
  const char* number = std::getenv(name);
  return number == nullptr ? 0 : std::atoi(number);
}

CUresult not_done() {
  return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult initialise(unsigned) {
  return static_cast<CUresult>(told("BREAKEVEN_FAKE_CUDA_INIT"));
}

CUresult driver_version(int* version) {
  *version = told("BREAKEVEN_FAKE_CUDA_VERSION");
  return CUDA_SUCCESS;
}

CUresult find(const char* name, void** function, int, cuuint64_t, CUdriverProcAddressQueryResult* result);

void* function_of(const char* name) {
  if (std::strcmp(name, "cuInit") == 0) return reinterpret_cast<void*>(initialise);
  if (std::strcmp(name, "cuDriverGetVersion") == 0) return reinterpret_cast<void*>(driver_version);
  if (std::strcmp(name, "cuGetProcAddress") == 0) return reinterpret_cast<void*>(find);
  return reinterpret_cast<void*>(not_done);
}

CUresult find(const char* name, void** function, int, cuuint64_t, CUdriverProcAddressQueryResult* result) {
  *function = function_of(name);
  if (result != nullptr) *result = CU_GET_PROC_ADDRESS_SUCCESS;
  return CUDA_SUCCESS;
}

}  // namespace

// Functions that the runtime finds by name.
#undef cuGetProcAddress
extern "C" {

CUresult cuInit(unsigned flags) {
  return initialise(flags);
}

CUresult cuDriverGetVersion(int* version) {
  return driver_version(version);
}

CUresult cuGetProcAddress_v2(const char* name, void** function, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult* result) {
  return find(name, function, version, flags, result);
}

CUresult cuGetProcAddress(const char* name, void** function, int version, cuuint64_t flags) {
  return find(name, function, version, flags, nullptr);
}
}
