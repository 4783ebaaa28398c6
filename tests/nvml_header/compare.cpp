// Compares the declarations in src/host/nvml_api.h with a real nvml.h. It is compiled if one is found, and
// never run.
#include <nvml.h>

#include <cstddef>
#include <type_traits>

#include "host/nvml_api.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace breakeven::nvml_api {
namespace {

/// True if a value of one type is passed like one of the other: pointers are pointers, enumerations are
/// integers.
template <typename A, typename B>
constexpr bool same_kind = (std::is_pointer_v<A> && std::is_pointer_v<B>) ||
                           ((std::is_integral_v<A> || std::is_enum_v<A>)&&(std::is_integral_v<B> ||
                                                                           std::is_enum_v<B>)&&sizeof(A) ==
                            sizeof(B));

/// The size of what a pointer points to, which must match if it is known.
template <typename T>
constexpr std::size_t pointed_size() {
  using Pointed = std::remove_pointer_t<T>;
  if constexpr (std::is_same_v<T, Device> || std::is_same_v<T, ::nvmlDevice_t>) {
    return 0;  // unknown size
  } else if constexpr (std::is_pointer_v<T>) {
    return sizeof(Pointed);
  } else {
    return 0;
  }
}

template <typename A, typename B>
struct SameCall : std::false_type {};
template <typename ResultA, typename ResultB, typename... A, typename... B>
requires(sizeof...(A) == sizeof...(B)) struct SameCall<ResultA(A...), ResultB(B...)>
    : std::bool_constant<same_kind<ResultA, ResultB> &&
                         (... && (same_kind<A, B> && pointed_size<A>() == pointed_size<B>()))> {
};

#define SAME(function) static_assert(SameCall<function, decltype(::function)>::value)
SAME(nvmlInit_v2);
SAME(nvmlShutdown);
SAME(nvmlErrorString);
SAME(nvmlSystemGetDriverVersion);
SAME(nvmlDeviceGetHandleByUUID);
SAME(nvmlDeviceGetName);
SAME(nvmlDeviceGetMemoryInfo);
SAME(nvmlDeviceGetEccMode);
SAME(nvmlDeviceGetMigMode);
SAME(nvmlDeviceGetPersistenceMode);
SAME(nvmlDeviceGetComputeMode);
SAME(nvmlDeviceGetCurrPcieLinkGeneration);
SAME(nvmlDeviceGetCurrPcieLinkWidth);
SAME(nvmlDeviceGetMaxPcieLinkGeneration);
SAME(nvmlDeviceGetMaxPcieLinkWidth);
SAME(nvmlDeviceGetPowerManagementLimit);
SAME(nvmlDeviceGetPowerManagementDefaultLimit);
SAME(nvmlDeviceGetMaxClockInfo);
SAME(nvmlDeviceGetClockInfo);
SAME(nvmlDeviceGetTemperature);
SAME(nvmlDeviceGetCurrentClocksThrottleReasons);
SAME(nvmlDeviceGetViolationStatus);
SAME(nvmlDeviceGetComputeRunningProcesses_v3);
SAME(nvmlDeviceGetTotalEccErrors);
SAME(nvmlDeviceGetTotalEnergyConsumption);
SAME(nvmlDeviceGetCpuAffinity);

static_assert(sizeof(Memory) == sizeof(nvmlMemory_t) &&
              offsetof(Memory, total) == offsetof(nvmlMemory_t, total) &&
              offsetof(Memory, used) == offsetof(nvmlMemory_t, used));
static_assert(sizeof(ViolationTime) == sizeof(nvmlViolationTime_t) &&
              offsetof(ViolationTime, violation_time) == offsetof(nvmlViolationTime_t, violationTime));
static_assert(sizeof(ProcessInfo) == sizeof(nvmlProcessInfo_t) &&
              offsetof(ProcessInfo, pid) == offsetof(nvmlProcessInfo_t, pid));
static_assert(success == NVML_SUCCESS && not_supported == NVML_ERROR_NOT_SUPPORTED &&
              not_found == NVML_ERROR_NOT_FOUND && insufficient_size == NVML_ERROR_INSUFFICIENT_SIZE);
static_assert(clock_sm == NVML_CLOCK_SM && clock_memory == NVML_CLOCK_MEM &&
              temperature_gpu == NVML_TEMPERATURE_GPU);
static_assert(violation_power == NVML_PERF_POLICY_POWER && violation_thermal == NVML_PERF_POLICY_THERMAL &&
              violation_board_limit == NVML_PERF_POLICY_BOARD_LIMIT);
static_assert(error_uncorrected == NVML_MEMORY_ERROR_TYPE_UNCORRECTED && ecc_volatile == NVML_VOLATILE_ECC);
static_assert(reason_gpu_idle == nvmlClocksThrottleReasonGpuIdle &&
              reason_applications_clocks == nvmlClocksThrottleReasonApplicationsClocksSetting &&
              reason_power_cap == nvmlClocksThrottleReasonSwPowerCap &&
              reason_hardware_slowdown == nvmlClocksThrottleReasonHwSlowdown &&
              reason_sync_boost == nvmlClocksThrottleReasonSyncBoost &&
              reason_thermal_slowdown == nvmlClocksThrottleReasonSwThermalSlowdown &&
              reason_hardware_thermal_slowdown == nvmlClocksThrottleReasonHwThermalSlowdown &&
              reason_power_brake == nvmlClocksThrottleReasonHwPowerBrakeSlowdown &&
              reason_display_clocks == nvmlClocksThrottleReasonDisplayClockSetting);

}  // namespace
}  // namespace breakeven::nvml_api
