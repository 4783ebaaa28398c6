// Names and descriptions of work, results, machines, GPUs and backends, for use in sentences.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "reports/document/numbers.h"
#include "results/focus.h"
#include "results/number_text.h"
#include "results/result.h"

namespace breakeven {

/// The backend_spelling() of a name, made printable.
std::string backend_title(std::string_view name);

/// The title of a result's backend, with the algorithm where that is breakeven's own on a library that has
/// only products: `Winograd on OpenBLAS`.
std::string computing_title(const CaseResult& result);

/// `matrix products`, `training steps`; `problems` for an operation that this program does not know.
std::string plural_of(std::string_view op);

/// The activity of a case, for the beginning of a sentence: `Training the MLP`, `Matrix products`.
std::string activity_of(const CaseOnBackend& result);

/// The title of the problem from its workload, after its label if it has one. Falls back to name=value pairs
/// if this program has no such workload, and to the id if there are no parameters.
std::string problem_title(const CaseOnBackend& result);

/// The same from the id of a case alone: `matmul 64 x 64 x 64 f32`. The id itself if this
/// program has no such case.
std::string case_title(const std::string& id);

/// A parameter in plain words: "operands moved each time" for `transfer`, `each`; "not tuned" for `tuned`,
/// `false`; "k 64" if it has no other.
std::string plain_parameter(std::string_view name, std::string_view value);

/// Rewrites a threshold's title, which is a text in its file, for readers: `infer, network cnn, f32` becomes
/// `Inference by the CNN, f32`, and `matmul, m = n = k, tuned false, f32` becomes `Matrix products, m = n =
/// k, not tuned, f32`.
std::string work_title(std::string_view stored);

// ---- descriptions, each in one printable line

/// Why a result is not ok; never empty.
std::string explain(const CaseResult& result);

/// "the largest that fits: 8192; 8200 does not: out of memory ...", with the known parts.
std::string describe_fit(const Fit& fit);

/// The titles of the run's configs, joined: "A" or "A and B"; empty if there is none.
std::string config_title(const Result& result);

/// The topic that the run's configs ask about; empty if they do not say, or if it differs.
std::optional<Focus> config_focus(const Result& result);

/// `AMD EPYC 7B13, 2 cores, 2 threads, 16.0 GiB`, with the known parts.
std::string describe_host(const Host& host);

/// `NVIDIA H200 (GPU-...): 140 GiB, driver 580.65, 700 W, up to 1980 MHz, PCIe 5 x16, ECC on`, with the known
/// parts, and the reason why others are unknown.
std::string describe_gpu(const Gpu& gpu);

/// `openblas 0.1.0 (OpenBLAS 0.3.21) on NVIDIA H100`, with the known parts.
std::string describe_backend(const BackendRecord& backend);

// ---- sentences and parts of them

/// `The CPU ran at 16 to 58 % of its own speed: on a quiet machine its times may be as short as 16 % of
/// these.` The shares are those of all times shown (own_speed_of()). Empty if none is below
/// `trusted_speed_share`.
std::string slow_machine_text(const std::string& machine, std::span<const double> shares);

/// Capitalises the first letter, except in names such as `oneDNN`.
std::string capitalised(std::string text);

/// Keeps letters and digits and replaces all else by dashes, for ids and chart names.
std::string slug_of(std::string_view text);

}  // namespace breakeven
