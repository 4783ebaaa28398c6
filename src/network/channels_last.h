// Parameters for activations that are stored with channels last.
#pragma once

#include <cstdint>
#include <vector>

#include "workloads/network.h"

namespace breakeven {

/// Initial values of tensor `index` for activations that are stored with channels last: filters as KRSC; the
/// columns of a dense layer that reads images in the order of pixels, each with all its channels.
std::vector<float> channels_last_values(const Network& network, std::size_t index, std::uint64_t seed);

}  // namespace breakeven
