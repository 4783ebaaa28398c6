"""Starting work that does almost nothing: a compiled function that returns a number, with JAX's whole overhead."""

import jax
import jax.numpy as jnp

from breakeven_worker.backend import Operation
from breakeven_worker.computed import Launched


def operations(device):
    return [Operation("launch", ["f32"], lambda parameters, seed: _prepare(parameters, seed, device))]


def _prepare(p, seed, device):
    case = Launched(jax.jit(lambda x: jnp.abs(x) * jnp.sign(x)), p, seed, device)
    case.algorithm = "jax.jit of a number"
    return case
