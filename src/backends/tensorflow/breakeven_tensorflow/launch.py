"""Starting work that does next to nothing: a function that gives a number, by way of all that TensorFlow does for any."""

import tensorflow as tf

from breakeven_worker.backend import Operation, Unsupported
from breakeven_worker.computed import Computed, show_result
from breakeven_worker.random_stream import FIRST_OPERAND, RandomStream

from .arrays import fastest_way


def operations(device):
    return [Operation("launch", ["f32"], lambda parameters, seed: _prepare(parameters, seed, device))]


class _Launch(Computed):
    def __init__(self, function, operands, p, seed, device):
        self._waits, self._seed = p["waits"], seed
        super().__init__(function, operands, p, device)

    def run(self):
        super().run()
        if self._waits:
            self.wait()

    def show(self, elements):
        return show_result(self.shown(), elements, self._seed)


def _prepare(p, seed, device):
    if not p["waits"] and not device.has_own_memory:
        raise Unsupported("a call on the CPU is done before the next can begin")
    number = RandomStream(seed, FIRST_OPERAND).uniform(0, 1).reshape(1, 1, 1)

    def same(x):  # by an operation, so that it is not handed through
        return tf.abs(x) * tf.sign(x)

    return fastest_way(lambda way: _Launch(way(same), [number], p, seed, device))
