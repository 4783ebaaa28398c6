// Cases that differ in whether they move their data, on processors and on GPUs.
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "results/result.h"

namespace breakeven {

/// True if the inputs of this inference were on the GPU before it began.
bool has_inputs_on_gpu(const CaseResult& result);

/// The ids that were measured on GPUs.
std::set<std::string> ids_on_gpus(std::span<const Result> results);

/// A processor moves nothing: its time is the same with `resident` and with `each` (workloads/transfer.h). So
/// every time of a processor also counts as that of the other one of the two where `wanted` has its id, and
/// is added to its result under that id, unless the backend was measured with it there.
void add_cases_of_processors(std::vector<Result>& results, const std::set<std::string>& wanted);

}  // namespace breakeven
