"""C = A B: jnp.matmul, compiled. Transposed operands are transposed inside the function. On a GPU, operands of 8 bits
are held as tensor cores read them."""

import jax
import jax.numpy as jnp

from breakeven_worker.backend import Operation, Unsupported
from breakeven_worker.computed import Multiplied, refuse_rotation

from .arrays import DTYPES, output_dtype


def operations(device):
    def prepare(parameters, seed):
        return _prepare(parameters, seed, device)

    return [Operation("matmul", device.dtypes, prepare, host_copies=1)]


def _prepare(p, seed, device):
    refuse_rotation(p)
    if p.get("fast_accumulation", False):
        raise Unsupported("XLA decides by itself how sums of f8e4m3 are accumulated")
    dtype, output = jnp.dtype(DTYPES[p["dtype"]]), jnp.dtype(output_dtype(p["dtype"]))
    wider = {"preferred_element_type": output} if output != dtype else {}

    operands, held = Multiplied.operands(p, dtype, seed), ""
    transpose_a, transpose_b = p["transpose_a"], p["transpose_b"]
    if dtype.itemsize == 1 and device.has_own_memory:
        operands, held = Multiplied.held_k_fastest(operands, p)
        transpose_a, transpose_b = False, True

    def product(a, b):
        a = a.mT if transpose_a else a
        b = b.mT if transpose_b else b
        return jnp.matmul(a, b, **wider)

    case = Multiplied(jax.jit(product), operands, p, seed, device)
    case.algorithm = f"jax.jit(jnp.matmul){held}"
    return case
