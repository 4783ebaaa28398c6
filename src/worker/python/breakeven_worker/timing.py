"""The timed loop, and the selection between settings of one library."""

import math
import os
import sys
import threading
import time
from itertools import repeat

import numpy as np

from .backend import Failed
from .host import EnergyMeter, last_level_cache_bytes


class CacheFlusher:
    """Fills the caches of every CPU in the affinity mask with unrelated data."""

    def __init__(self):
        self._other = np.zeros(2 * last_level_cache_bytes(), dtype=np.uint8)
        self._refused = []

    def flush(self):
        threads = [
            threading.Thread(target=self._touch, args=(cpu, offset))
            for offset, cpu in enumerate(sorted(os.sched_getaffinity(0)))
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if self._refused:
            raise Failed(f"caches cannot be flushed: the kernel lets no thread be held on a CPU: {self._refused[0]}")

    def _touch(self, cpu, offset):
        try:
            os.sched_setaffinity(0, {cpu})  # only this thread, because a CPU cannot flush another's caches
        except OSError as e:
            self._refused.append(e)
        # Each thread writes its own byte of every 64-byte line. numpy releases the interpreter lock meanwhile.
        line = self._other[offset % 64 :: 64]
        np.add(line, 1, out=line)


_flushers = []  # one per process, made when it is first needed, because it holds twice the largest cache


def _flush_caches():
    if not _flushers:
        _flushers.append(CacheFlusher())
    _flushers[0].flush()


# The garbage collector stays on during a sample, as in a user's loop. The objects of the library are frozen (serve.py), so
# that a collection traverses those of the case alone.
def take_sample(prepared, iterations, transfer, cold, on_host, exactly=False):
    """Runs `iterations` iterations of a prepared case. All values of the answer are per iteration. The energy is the
    host's, and is reported only if the host computes. If `exactly`, there are no further runs."""
    untimed = 0 if on_host or exactly else _untimed_iterations(iterations, prepared.measures_latency)
    prepared.prepare_runs((untimed + iterations) * transfer.repetitions)
    meter = EnergyMeter()
    joules_before = meter.joules() if on_host else None
    singly = cold or prepared.measures_latency
    iterate = _iteration(prepared, transfer)
    with prepared.context():
        for _ in repeat(None, untimed):
            iterate()
        if untimed > 0:
            prepared.wait()
        prepared.take_communication_seconds()  # of earlier runs
        if singly:
            flush = _flush(prepared, transfer) if cold else None
            seconds, cpu_seconds = _one_by_one(prepared, iterate, iterations, flush)
        else:
            seconds, cpu_seconds = _at_once(prepared, iterate, iterations)
    joules_after = meter.joules()

    sample = {"iterations": iterations, "seconds": sum(seconds) / iterations, "cpu_seconds": cpu_seconds / iterations}
    # The cache flushes of a cold sample use energy too, so the energy of the work itself is unknown.
    # It is also unknown if the counter has wrapped to 0, as it does about once per hour of work.
    known = joules_before is not None and joules_after is not None and joules_after >= joules_before
    if known and not cold:
        sample["joules"] = (joules_after - joules_before) / iterations
    if prepared.measures_latency:
        sample["latencies"] = seconds
    communication = prepared.take_communication_seconds()
    if communication is not None:
        sample["communication_seconds"] = communication / iterations
    losses = prepared.take_losses()
    if losses:
        sample["losses"] = losses
    return sample


def _untimed_iterations(iterations, measures_latency):
    """The number of iterations before the clock starts on a GPU, which may have to switch from another process
    (worker/timing.cpp)."""
    return 1 if measures_latency else -(-iterations // 10)


def _iteration(prepared, transfer):
    """A function that does one iteration: run() itself, unless data moves."""
    if not transfer.moves:
        return prepared.run

    def moved():
        prepared.copy_inputs_to_device()
        for _ in repeat(None, transfer.repetitions):
            prepared.run()
        # If a result is copied to the host, the next iteration waits for it.
        if prepared.copy_outputs_to_host():
            prepared.wait()

    return moved


def _at_once(prepared, iterate, iterations):
    """Times all iterations together. The clock readings enclose only the loop that a user would write."""
    prepared.start_together()
    cpu_before = time.process_time()
    start = time.perf_counter()
    for _ in repeat(None, iterations):
        iterate()
    prepared.wait()
    return [time.perf_counter() - start], time.process_time() - cpu_before


def _flush(prepared, transfer):
    """A function that removes what an iteration reads and writes from all caches: data that moves is in both."""

    def flush():
        if not prepared.flush() or transfer.moves or prepared.reads_host:
            _flush_caches()

    return flush


def _one_by_one(prepared, iterate, iterations, flush):
    seconds = []
    cpu_seconds = -time.process_time()
    for _ in repeat(None, iterations):
        if flush is not None:
            # Read only here: whoever reads his CPU time lets the kernel take the CPU away right then, beside the clock.
            cpu_seconds += time.process_time()
            flush()
            cpu_seconds -= time.process_time()
        prepared.start_together()
        start = time.perf_counter()
        iterate()
        prepared.wait()
        seconds.append(time.perf_counter() - start)
    return seconds, cpu_seconds + time.process_time()


def with_others(chosen, seconds, between=", "):
    """The text of a case's `algorithm`: the name of the fastest, and how much longer the others took."""

    def compared(name):
        if seconds[name] is None:
            return "not tried"
        return "failed" if math.isinf(seconds[name]) else f"took {seconds[name] / seconds[chosen]:.3g}x"

    return between.join([chosen, *(f"{name} {compared(name)}" for name in seconds if name != chosen)])


def may_race(p):
    """False if the case's parameters forbid that a race chooses how it is computed."""
    return p.get("tuned", True) and not p.get("deterministic", False)


def fastest(candidates, wait, budget=0.3, patience=40, agree=float):
    """The candidate with the shortest best time, and all best times in seconds: infinite if a candidate throws, None if
    it was not tried.

    candidates: name -> function; wait() returns when the work of one is done. Each is run once to warm up, then
    they are timed in turn until `budget` seconds are spent, at least once. A first call may compile for long, so after
    `patience` seconds no further candidate is tried. Throws if all candidates throw.

    agree() makes a number of seconds the same in all ranks, so that they try equally often and choose the same.
    """
    best, running, failures = dict.fromkeys(candidates), [], []

    def seconds_of(name):
        start = time.perf_counter()
        try:
            candidates[name]()
            wait()
        except Exception as e:  # an exception of a library excludes this candidate, but does not end the case
            failures.append(e.with_traceback(None))  # a traceback would keep the candidate's memory
            print(f"{name}: {type(e).__name__}: {e}", file=sys.stderr)
            return agree(math.inf)
        return agree(time.perf_counter() - start)

    def seconds_since(start):
        return agree(time.perf_counter() - start)

    begun = time.perf_counter()
    for name in candidates:
        if running and seconds_since(begun) > patience:
            break
        best[name] = seconds_of(name)
        if best[name] < math.inf:
            running.append(name)
    begun = time.perf_counter()
    while running:
        for name in list(running):
            seconds = seconds_of(name)
            best[name] = min(best[name], seconds) if seconds < math.inf else math.inf
            if seconds == math.inf:
                running.remove(name)
        if seconds_since(begun) > budget:
            break
    if not running:
        raise failures[0] if failures else Failed("")  # another rank says why
    return min(running, key=best.get), best
