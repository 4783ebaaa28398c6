"""C = A B: jnp.matmul, compiled. Transposed operands are transposed inside the function."""

import jax
import jax.numpy as jnp

from breakeven_worker.backend import Operation, Unsupported
from breakeven_worker.computed import Multiplied, refuse_rotation

from .arrays import DTYPES, output_dtype


def operations(device):
    return [Operation("matmul", device.dtypes, lambda parameters, seed: _prepare(parameters, seed, device))]


def _prepare(p, seed, device):
    refuse_rotation(p)
    if p.get("fast_accumulation", False):
        raise Unsupported("XLA decides by itself how sums of f8e4m3 are accumulated")
    dtype, output = jnp.dtype(DTYPES[p["dtype"]]), jnp.dtype(output_dtype(p["dtype"]))
    wider = {"preferred_element_type": output} if output != dtype else {}

    def product(a, b):
        a = a.mT if p["transpose_a"] else a
        b = b.mT if p["transpose_b"] else b
        return jnp.matmul(a, b, **wider)

    case = Multiplied(jax.jit(product), Multiplied.operands(p, dtype, seed), p, seed, device)
    case.algorithm = "jax.jit(jnp.matmul)"
    return case
