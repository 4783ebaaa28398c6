// The common part of backends that have collective operations.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "worker/backend.h"
#include "worker/communicator.h"

namespace breakeven {

/// A collective operation on f32 whose cases are of the type `Made`. A program that cannot join ranks has no
/// dtype for it.
template <typename Made>
Operation collective_operation(const std::string& op) {
  return {.op = op,
          .dtypes = [] { return can_join_ranks() ? std::vector{Dtype::f32} : std::vector<Dtype>{}; },
          .prepare = prepare_as<Made>,
          .why_not = [](Dtype) -> std::string { return can_join_ranks() ? "" : "it was built without MPI"; },
          .takes_ranks = true};
}

/// Throws Unsupported for an array that MPI, which counts bytes in int, cannot move in one call.
inline void check_size_for_mpi(std::int64_t bytes) {
  if (bytes > std::numeric_limits<int>::max()) throw Unsupported("MPI moves at most 2 GiB in one call");
}

}  // namespace breakeven
