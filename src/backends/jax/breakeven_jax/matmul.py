"""C = A B: jnp.matmul, compiled; transposed operands are transposed within."""

import jax
import jax.numpy as jnp

from breakeven_worker.backend import Operation, Unsupported
from breakeven_worker.computed import Computed, check_memory, make_inputs, show_result
from breakeven_worker.random_stream import FIRST_OPERAND, SECOND_OPERAND

from .arrays import DTYPES, output_dtype


def operations(device):
    return [Operation("matmul", device.dtypes, lambda parameters, seed: _Matmul(parameters, seed, device))]


class _Matmul(Computed):
    algorithm = "jax.jit(jnp.matmul)"

    def __init__(self, p, seed, device):
        if p.get("operands", "reused") == "rotating":
            raise Unsupported("operands do not rotate here")
        m, n, k, batch, name = p["m"], p["n"], p["k"], p["batch"], p["dtype"]
        dtype = jnp.dtype(DTYPES[name])
        check_memory(batch * ((m * k + k * n) * dtype.itemsize + m * n * jnp.dtype(output_dtype(name)).itemsize), device)
        self._seed = seed
        outer = (batch,) if batch > 1 else ()
        a = make_inputs(outer + ((k, m) if p["transpose_a"] else (m, k)), dtype, seed, FIRST_OPERAND)
        b = make_inputs(outer + ((n, k) if p["transpose_b"] else (k, n)), dtype, seed, SECOND_OPERAND)
        output = output_dtype(name)
        wider = {"preferred_element_type": output} if output != DTYPES[name] else {}

        def product(a, b):
            a = a.mT if p["transpose_a"] else a
            b = b.mT if p["transpose_b"] else b
            return jnp.matmul(a, b, **wider)

        super().__init__(jax.jit(product), [a, b], p, device)

    def show(self, elements):
        result = self.shown()
        return show_result(result.reshape(-1, result.shape[-1]), elements, self._seed)
