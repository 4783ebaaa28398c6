"""JAX as its users run it: functions compiled by jax.jit, and the faster of two memory formats for convolutions."""

import os

from breakeven_worker.backend import operations_of
from breakeven_worker.devices import backend_on


def make_backend(program, threads, version):
    """`program`: "jax", with "-cuda" for a GPU."""
    on_gpu = program.endswith("-cuda")
    # Set here, because importing jax reads it.
    os.environ["JAX_PLATFORMS"] = "cuda" if on_gpu else "cpu"
    if on_gpu:
        os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"  # other backends need memory of the same GPU
    else:
        os.environ["NPROC"] = str(threads)  # size of XLA's thread pool
    import jax
    import jaxlib

    from .device import Cpu, Gpu, meaning_of

    jax.config.update("jax_enable_x64", True)  # float64 is only used where it is requested
    device = Gpu() if on_gpu else Cpu()
    return backend_on(
        device,
        version,
        operations_of(__name__, device),
        libraries={"jax": jax.__version__, "jaxlib": jax.lib.__version__},
        library_files={"jax": jax.__file__, "jaxlib": jaxlib.__file__},
        meaning_of=meaning_of,
    )
