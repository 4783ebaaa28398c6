// Names and descriptions of results, machines, GPUs and backends, in one printable line each.
#pragma once

#include <string>

#include "results/result.h"

namespace breakeven {

/// The problem's title from its workload, after its label if it has one; name=value pairs if this program has
/// no such workload, the id if there are none.
std::string problem_title(const CaseResult& result);

/// Why a result is not ok; never empty.
std::string explain(const CaseResult& result);

/// "the largest that fits: 8192; 8200 does not: out of memory ...", as far as it is known.
std::string describe_fit(const Fit& fit);

/// The title that the run's config gives; empty without one.
std::string config_title(const Result& result);

/// `AMD EPYC 7B13, 2 cores, 2 threads, 16.0 GiB`, as far as it is known.
std::string describe_host(const Host& host);

/// `NVIDIA H200 (GPU-...): 140 GiB, driver 580.65, 700 W, up to 1980 MHz, PCIe 5 x16, ECC on`, as far as it
/// is known, with the reason for what is unknown.
std::string describe_gpu(const Gpu& gpu);

/// `openblas 0.1.0 (OpenBLAS 0.3.21) on NVIDIA H100`, as far as it is known.
std::string describe_backend(const BackendRecord& backend);

}  // namespace breakeven
