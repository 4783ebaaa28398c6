"""JAX as its users run it: functions compiled by jax.jit, and the faster of two memory formats for convolutions."""

import jax
import jaxlib

from breakeven_worker.backend import OutOfMemory, operations_of
from breakeven_worker.devices import backend_on

from .device import Cpu, Gpu

__all__ = ["Cpu", "Gpu", "make_backend"]


def make_backend(make_device, version):
    jax.config.update("jax_enable_x64", True)  # float64 is only used where it is requested
    device = make_device()
    return backend_on(
        device,
        version,
        operations_of(__name__, device),
        libraries={"jax": jax.__version__, "jaxlib": jax.lib.__version__},
        library_files={"jax": jax.__file__, "jaxlib": jaxlib.__file__},
        meaning_of=_meaning_of,
    )


def _meaning_of(error):
    if isinstance(error, jax.errors.JaxRuntimeError) and "RESOURCE_EXHAUSTED" in str(error):
        return OutOfMemory(str(error).splitlines()[0])
    return None
