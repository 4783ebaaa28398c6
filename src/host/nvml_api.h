// Declares the used part of NVIDIA's management library as its nvml.h does, a header that few machines have.
// The library itself is opened at run time (nvml.cpp). Functions are declared as types, under the names by
// which they are looked up. tests/nvml_header compares these declarations with a real nvml.h if it finds one.
#pragma once

#include <cstdint>

namespace breakeven::nvml_api {

using Return = int;  // nvmlReturn_t
inline constexpr Return success = 0, not_supported = 3, not_found = 6, insufficient_size = 7;

struct DeviceHandle;
using Device = DeviceHandle*;  // nvmlDevice_t

struct Memory {  // nvmlMemory_t, in bytes
  unsigned long long total, free, used;
};
struct ViolationTime {
  unsigned long long reference_time;  // microseconds
  unsigned long long violation_time;  // nanoseconds
};
struct ProcessInfo {  // nvmlProcessInfo_v2_t, which versions 2 and 3 of the query fill in
  unsigned pid;
  unsigned long long used_memory;
  unsigned gpu_instance, compute_instance;
};

// nvmlClockType_t, nvmlTemperatureSensors_t, nvmlPerfPolicyType_t, nvmlMemoryErrorType_t,
// nvmlEccCounterType_t
inline constexpr int clock_sm = 1, clock_memory = 2;
inline constexpr int temperature_gpu = 0;
inline constexpr int violation_power = 0, violation_thermal = 1, violation_board_limit = 3;
inline constexpr int error_uncorrected = 1;
inline constexpr int ecc_volatile = 0;

// nvmlClocksEventReasons
inline constexpr std::uint64_t reason_gpu_idle = 0x1, reason_applications_clocks = 0x2,
                               reason_power_cap = 0x4, reason_hardware_slowdown = 0x8,
                               reason_sync_boost = 0x10, reason_thermal_slowdown = 0x20,
                               reason_hardware_thermal_slowdown = 0x40, reason_power_brake = 0x80,
                               reason_display_clocks = 0x100;

// Enumerations are passed as int.
using nvmlInit_v2 = Return();
using nvmlShutdown = Return();
using nvmlErrorString = const char*(Return);
using nvmlSystemGetDriverVersion = Return(char*, unsigned);
using nvmlDeviceGetHandleByUUID = Return(const char*, Device*);
using nvmlDeviceGetName = Return(Device, char*, unsigned);
using nvmlDeviceGetMemoryInfo = Return(Device, Memory*);
using nvmlDeviceGetEccMode = Return(Device, int* current, int* pending);
using nvmlDeviceGetMigMode = Return(Device, unsigned* current, unsigned* pending);
using nvmlDeviceGetPersistenceMode = Return(Device, int*);
using nvmlDeviceGetComputeMode = Return(Device, int*);
using nvmlDeviceGetCurrPcieLinkGeneration = Return(Device, unsigned*);
using nvmlDeviceGetCurrPcieLinkWidth = Return(Device, unsigned*);
using nvmlDeviceGetMaxPcieLinkGeneration = Return(Device, unsigned*);
using nvmlDeviceGetMaxPcieLinkWidth = Return(Device, unsigned*);
using nvmlDeviceGetPowerManagementLimit = Return(Device, unsigned* milliwatts);
using nvmlDeviceGetPowerManagementDefaultLimit = Return(Device, unsigned* milliwatts);
using nvmlDeviceGetMaxClockInfo = Return(Device, int clock, unsigned* mhz);
using nvmlDeviceGetClockInfo = Return(Device, int clock, unsigned* mhz);
using nvmlDeviceGetTemperature = Return(Device, int sensor, unsigned* celsius);
using nvmlDeviceGetCurrentClocksEventReasons = Return(Device, unsigned long long*);
using nvmlDeviceGetCurrentClocksThrottleReasons = Return(Device, unsigned long long*);  // its name before 535
using nvmlDeviceGetViolationStatus = Return(Device, int policy, ViolationTime*);
using nvmlDeviceGetComputeRunningProcesses_v3 = Return(Device, unsigned* count, ProcessInfo*);
using nvmlDeviceGetComputeRunningProcesses_v2 = Return(Device, unsigned* count, ProcessInfo*);
/// Writes one bit for each CPU into `words` words.
using nvmlDeviceGetCpuAffinity = Return(Device, unsigned words, unsigned long* cpus);
using nvmlDeviceGetTotalEccErrors = Return(Device, int error, int counter, unsigned long long*);
using nvmlDeviceGetTotalEnergyConsumption = Return(Device, unsigned long long* millijoules);

}  // namespace breakeven::nvml_api
