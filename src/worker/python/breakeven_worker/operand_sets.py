"""Rotating operands: each run uses the next set of them; see src/workloads/rotation.h."""

import itertools
import math

from .backend import Failed, OutOfMemory, Unsupported

_MOST = 1 << 16


def operand_sets(case, device):
    """The number of sets of operands and result that a case uses in turn: 1 if it reuses them. Rotating sets together
    have twice the size of the caches, because caches do not strictly evict the oldest data. Only then are the device's
    cache_bytes() and available_memory() called."""
    if case.get("operands", "reused") != "rotating":
        return 1
    bytes_of_one = case.memory_bytes
    if not bytes_of_one:
        raise Failed("the request says no memory_bytes, and operands that rotate need them: use a newer driver")
    cache_bytes, available = device.cache_bytes(), device.available_memory()
    sets = max(2, math.ceil(2 * cache_bytes / bytes_of_one))
    if sets > _MOST:
        raise Unsupported(
            f"operands that rotate must be larger: of {bytes_of_one / 2**10:.3g} KiB each, it takes {sets} sets to "
            f"leave caches of {cache_bytes / 2**20:.3g} MiB, and there are {_MOST} at most"
        )
    if sets * bytes_of_one > available:
        raise OutOfMemory(
            f"{sets} sets of operands need {sets * bytes_of_one / 2**30:.3g} GiB and "
            f"{available / 2**30:.3g} GiB is available"
        )
    return sets


def in_turn(calls):
    """A function whose calls call the functions `calls` in turn."""
    if len(calls) == 1:
        return calls[0]
    turn = itertools.cycle(calls)
    return lambda: next(turn)()
