// Names and descriptions of results, machines, GPUs and backends, each in one printable line.
#pragma once

#include <string>

#include "results/result.h"

namespace breakeven {

/// The title of the problem from its workload, after its label if it has one. Falls back to name=value pairs
/// if this program has no such workload, and to the id if there are no parameters.
std::string problem_title(const CaseResult& result);

/// Why a result is not ok; never empty.
std::string explain(const CaseResult& result);

/// "the largest that fits: 8192; 8200 does not: out of memory ...", with the known parts.
std::string describe_fit(const Fit& fit);

/// The title in the run's config; empty if there is none.
std::string config_title(const Result& result);

/// `AMD EPYC 7B13, 2 cores, 2 threads, 16.0 GiB`, with the known parts.
std::string describe_host(const Host& host);

/// `NVIDIA H200 (GPU-...): 140 GiB, driver 580.65, 700 W, up to 1980 MHz, PCIe 5 x16, ECC on`, with the known
/// parts, and the reason why others are unknown.
std::string describe_gpu(const Gpu& gpu);

/// `openblas 0.1.0 (OpenBLAS 0.3.21) on NVIDIA H100`, with the known parts.
std::string describe_backend(const BackendRecord& backend);

}  // namespace breakeven
