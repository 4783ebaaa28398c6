"""Element types, inputs, and results as evidence."""

import math

import jax
import jax.numpy as jnp
import numpy as np

from breakeven_worker import evidence
from breakeven_worker.backend import OutOfMemory, Prepared, Transfer
from breakeven_worker.random_stream import RandomStream

DTYPES = {
    "f64": jnp.float64,
    "f32": jnp.float32,
    "tf32": jnp.float32,
    "f16": jnp.float16,
    "bf16": jnp.bfloat16,
    "f8e4m3": jnp.float8_e4m3fn,
    "s8": jnp.int8,
}

# What a product of inputs of a type is stored in, where that is another type.
_OUTPUTS = {"f8e4m3": jnp.bfloat16, "s8": jnp.int32}


def output_dtype(name):
    return _OUTPUTS.get(name, DTYPES[name])


def make_inputs(shape, name, seed, stream):
    """A numpy array of this shape, row-major, with the stream's numbers; conversions round to nearest, ties to even."""
    numbers = RandomStream(seed, stream)
    count = math.prod(shape)
    values = numbers.small_integers(0, count) if name == "s8" else numbers.uniform(0, count)
    return values.astype(np.dtype(DTYPES[name])).reshape(shape)


def check_memory(needed, device):
    """Decided before allocating: a machine that overcommits grants memory that it does not have, then kills."""
    available = device.available_memory()
    if needed > available:
        raise OutOfMemory(f"needs {needed / 2**30:.3g} GiB and {available / 2**30:.3g} GiB is available")


def show_result(result, elements, seed):
    """The evidence of a result of shape outer x channels x ...: arrays of JAX are immutable, and each is a new one."""
    values = np.asarray(result)

    def read_block(first, last):
        return values[first:last].astype(np.float64)

    shape = (values.shape[0], values.shape[1], math.prod(values.shape[2:]))
    flat = values.reshape(-1)
    return {
        "elements": flat[elements].astype(np.float64).tolist(),
        "projections": evidence.project(read_block, shape, seed),
    }


class Computed(Prepared):
    """A compiled function of operands. run() leaves its result in self._result, a new array each time; where the case
    moves data, operands come from the host's memory before it and the result goes there after it."""

    def __init__(self, function, operands, p, device):
        self._function = function
        self._device = device.device
        self._moves = device.has_own_memory and Transfer.of(p).moves
        self._on_host = operands if self._moves else None
        self._operands = [jax.device_put(operand, self._device) for operand in operands]
        self._fetched = None
        self.run()
        self.wait()

    def run(self):
        self._result = self._function(*self._operands)

    def bring(self):
        if self._moves:
            self._operands = [jax.device_put(operand, self._device) for operand in self._on_host]

    def fetch(self):
        if self._moves:
            self._fetched = np.asarray(self._result)
        return self._moves

    def wait(self):
        jax.block_until_ready(self._result)

    def shown(self):
        """The result of one iteration."""
        self.bring()
        self.run()
        return self._fetched if self.fetch() else self._result
