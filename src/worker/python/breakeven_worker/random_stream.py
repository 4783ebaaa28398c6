"""The numbers that every backend computes with, as src/workloads/random.h defines them."""

import numpy as np

# The streams in use.
FIRST_OPERAND = 0
SECOND_OPERAND = 1
OUTPUT_GRADIENT = 2
POSITION_SIGNS = 100
CHANNEL_SIGNS = 101
PARAMETERS = 1000  # + index of the parameter tensor
BATCH_ORDER = 2000  # + epoch

GOLDEN = 0x9E3779B97F4A7C15
FIRST_FACTOR = 0xBF58476D1CE4E5B9
SECOND_FACTOR = 0x94D049BB133111EB
_MASK = (1 << 64) - 1

# The number of elements generated at a time. With four times as many, temporaries are returned to the system and
# allocated again, page by page, in every operation, which is twelve times slower.
CHUNK = 1 << 14


def _mix(z):
    z = (z ^ (z >> np.uint64(30))) * np.uint64(FIRST_FACTOR)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(SECOND_FACTOR)
    return z ^ (z >> np.uint64(31))


class RandomStream:
    """One stream of 64-bit numbers. Any range of it can be generated individually."""

    def __init__(self, seed, stream):
        start = np.array([(seed + GOLDEN * (stream + 1)) & _MASK], dtype=np.uint64)
        self.key = _mix(start)[0]

    def bits(self, first, count):
        """Elements first ... first + count - 1, as uint64."""
        counter = np.arange(first + 1, first + count + 1, dtype=np.uint64)
        return _mix(self.key + np.uint64(GOLDEN) * counter)

    def uniform(self, first, count):
        """Numbers uniform in [-1, 1) on a grid of 2^-23, so exact in float32."""
        whole = (self.bits(first, count) >> np.uint64(40)).astype(np.int32) - np.int32(1 << 23)
        return whole.astype(np.float32) * np.float32(2.0**-23)

    def small_integers(self, first, count):
        """Integers uniform in [-64, 63], as int8."""
        return ((self.bits(first, count) >> np.uint64(57)).astype(np.int16) - 64).astype(np.int8)

    def signs(self, first, count):
        """Random signs, -1 or +1, as float64."""
        return np.where(self.bits(first, count) >> np.uint64(63) != 0, 1.0, -1.0)


def chunks(count, size=CHUNK):
    """Splits a range of `count` elements into pieces (first, length)."""
    for first in range(0, count, size):
        yield first, min(size, count - first)


def shuffled_indices(count, numbers):
    """The order of `count` rows: the indices sorted by the stream's numbers, which are distinct, as int64."""
    return np.argsort(numbers.bits(0, count))
