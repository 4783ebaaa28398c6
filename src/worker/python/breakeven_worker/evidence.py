"""The evidence that a backend returns of its result, as src/workloads/evidence.h defines it."""

import numpy as np

from .random_stream import CHANNEL_SIGNS, POSITION_SIGNS, RandomStream

MOST_PROJECTIONS = 512

# Number of result elements in one block of float64 (32 MiB).
_BLOCK = 1 << 22


def project(read_block, shape, seed, sum_channels=np.matmul):
    """The projections of a result of outer x channels x inner elements.

    read_block(first, last) returns the rows first ... last - 1 of its outer axis as float64, of any shape that
    holds them row-major. sum_channels(signs, block) returns the block's channels times their signs, summed, as numpy's.
    """
    outer, channels, inner = shape
    signs = RandomStream(seed, CHANNEL_SIGNS).signs(0, channels)
    sums = np.empty((outer, inner))
    rows = max(1, _BLOCK // (channels * inner))
    for first in range(0, outer, rows):
        last = min(first + rows, outer)
        block = read_block(first, last).reshape(last - first, channels, inner)
        sums[first:last] = sum_channels(signs, block)
    return _fold_positions(sums.ravel(), seed)


def _fold_positions(sums, seed):
    count = min(len(sums), MOST_PROJECTIONS)
    signed = sums * RandomStream(seed, POSITION_SIGNS).signs(0, len(sums))
    padded = np.zeros(-(-len(sums) // count) * count)
    padded[: len(sums)] = signed
    return padded.reshape(-1, count).sum(axis=0)
