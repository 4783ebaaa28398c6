"""Work that a backend does in addition to its own on request: a change of known size, to test whether a regression
check finds it (docs/worker-protocol.md)."""

import math
import os
import statistics
import time
from itertools import repeat

from .backend import Failed

VARIABLE = "BREAKEVEN_EXTRA_WORK"
LIBRARY = "extra work"  # its name in a hello


def extra_work():
    """The requested extra work as a fraction of each run's time; None if none is requested."""
    text = os.environ.get(VARIABLE, "")
    if not text:
        return None
    try:
        share = float(text)
    except ValueError:
        share = 0.0
    if not 0 < share <= 10:
        raise Failed(f"{VARIABLE}={text}: must be a number above 0 and up to 10, as in 0.05 for 5 %")
    return share


def with_extra_work(prepared, share, on_host, agree=bool):
    """The same case with more work in every run. On the host it is a loop that lasts `share` of a run's time, which is
    measured before and between the first few samples. On a device it is more runs of the case itself, one for every
    1 / `share` runs. agree() makes a condition the same in all ranks, so that they run the case equally often."""
    return _MoreLooping(prepared, share, agree) if on_host else _MoreRuns(prepared, share)


class _WithExtraWork:
    """Forwards everything except run() to the case."""

    def __init__(self, prepared, share):
        self._prepared = prepared
        self._share = share

    def __getattr__(self, name):
        return getattr(self._prepared, name)


class _MoreLooping(_WithExtraWork):
    _due = True
    _samples = 0

    def __init__(self, prepared, share, agree):
        super().__init__(prepared, share)
        self._agree = agree

    def run(self):
        if self._due:
            self._measure()
        self._prepared.run()
        _loop(self._steps)

    def take_losses(self):
        """Called after each sample."""
        self._due = self._samples == 0
        self._samples += 1
        return self._prepared.take_losses()

    def _measure(self):
        """Measures the time of a run in the first sample and again in the second, which drivers take to warm up. In
        between they place the threads; before that, a run may take ten times as long. This is part of the timed work,
        because drivers request longer samples from programs that spend time outside of them."""
        self._steps = round(self._share * self._seconds_of_run() / _seconds_of_step())
        self._due = False

    def _seconds_of_run(self):
        """The median over runs that take a hundredth of a second in total, at least three."""
        self._prepared.run()  # warms caches and threads
        seconds = []
        end = time.perf_counter() + 0.01
        while self._agree(len(seconds) < 3 or time.perf_counter() < end):
            start = time.perf_counter()
            self._prepared.run()
            self._prepared.wait()
            seconds.append(time.perf_counter() - start)
        return statistics.median(seconds)


class _MoreRuns(_WithExtraWork):
    _owed = 0.0

    def prepare_runs(self, runs):
        self._prepared.prepare_runs(runs + math.ceil(self._owed + self._share * runs))

    def run(self):
        self._prepared.run()
        self._owed += self._share
        while self._owed >= 1:
            self._prepared.run()
            self._owed -= 1


def _loop(steps):
    for _ in repeat(None, steps):
        pass


def _seconds_of_step(steps=100_000):
    """The least time over several rounds, because disturbances only make it longer."""
    least = float("inf")
    for _ in range(5):
        start = time.perf_counter()
        _loop(steps)
        least = min(least, time.perf_counter() - start)
    return least / steps
