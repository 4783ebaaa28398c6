// Convolution by minimal filtering (winograd_transforms.h), the products by the library.
#pragma once

#include <memory>

#include "worker/backend.h"
#include "workloads/conv2d.h"

namespace breakeven::cblas {

/// Forward, f32, 3 x 3 filters, stride 1 or 2 in both directions, no dilation, and multiples of
/// winograd_lanes channels and filters in a group; null for any other. `sets` of operands and result take
/// turns.
std::unique_ptr<Prepared> winograd_forward(const Conv2d& problem, std::uint64_t seed, std::int64_t sets);

}  // namespace breakeven::cblas
