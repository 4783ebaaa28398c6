"""Starting work that does next to nothing: a compiled function that gives a number, by way of all that JAX does for any."""

import jax
import jax.numpy as jnp

from breakeven_worker.backend import Operation, Unsupported
from breakeven_worker.computed import Computed, show_result
from breakeven_worker.random_stream import FIRST_OPERAND, RandomStream


def operations(device):
    return [Operation("launch", ["f32"], lambda parameters, seed: _Launch(parameters, seed, device))]


class _Launch(Computed):
    algorithm = "jax.jit of a number"

    def __init__(self, p, seed, device):
        if not p["waits"] and not device.has_own_memory:
            raise Unsupported("a call on the CPU is done before the next can begin")
        self._waits, self._seed = p["waits"], seed
        number = RandomStream(seed, FIRST_OPERAND).uniform(0, 1).reshape(1, 1, 1)
        # Of an operand, so that it is not a constant made once.
        super().__init__(jax.jit(lambda x: jnp.abs(x) * jnp.sign(x)), [number], p, device)

    def run(self):
        super().run()
        if self._waits:
            self.wait()

    def show(self, elements):
        return show_result(self.shown(), elements, self._seed)
