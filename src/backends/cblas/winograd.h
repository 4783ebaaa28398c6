// Convolution by Winograd's algorithm (winograd_transforms.h), with the library's products.
#pragma once

#include <memory>

#include "worker/backend.h"
#include "workloads/conv2d.h"

namespace breakeven::cblas {

/// Makes a case: forward, f32, 3 x 3 filters, stride 1 or 2 in both directions, no dilation, and multiples of
/// winograd_lanes channels and filters in a group; null for any other. `sets` sets of operands and results
/// are used in turn.
bool has_winograd_forward(const Conv2d& problem);
std::unique_ptr<Prepared> winograd_forward(const Conv2d& problem, std::uint64_t seed, std::int64_t sets);

}  // namespace breakeven::cblas
