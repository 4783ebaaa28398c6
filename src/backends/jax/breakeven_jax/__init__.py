"""JAX as its users run it: functions compiled by jax.jit, and the faster of two memory formats for convolutions."""

import os

from breakeven_worker.backend import operations_of
from breakeven_worker.devices import backend_on


# The part of a GPU's memory that JAX may use at most. All versions know the second, which is the older one. If both are
# set, newer versions refuse the GPU.
_LIMITS = ("XLA_CLIENT_MEM_FRACTION", "XLA_PYTHON_CLIENT_MEM_FRACTION")


def share_gpu(environment):
    """Lets JAX take memory when it needs it, because other backends use the same GPU, and up to 95 % of all instead of
    75 %. What the user has set stays. Returns what to say where that is too little."""
    environment.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    if not any(environment.get(name) for name in _LIMITS):
        environment[_LIMITS[1]] = ".95"
    name = next(name for name in _LIMITS if environment.get(name))
    return f" ({name} is {environment[name]})"


def make_backend(program, threads, version):
    """`program`: "jax", with "-cuda" for a GPU."""
    on_gpu = program.endswith("-cuda")
    # Set here, because importing jax reads it.
    os.environ["JAX_PLATFORMS"] = "cuda" if on_gpu else "cpu"
    memory_note = ""
    if on_gpu:
        memory_note = share_gpu(os.environ)
    else:
        os.environ["NPROC"] = str(threads)  # size of XLA's thread pool
    import jax
    import jaxlib

    from .device import Cpu, Gpu, meaning_of

    jax.config.update("jax_enable_x64", True)  # float64 is only used where it is requested
    device = Gpu() if on_gpu else Cpu()
    backend = backend_on(
        device,
        version,
        operations_of(__name__, device),
        libraries={"jax": jax.__version__, "jaxlib": jax.lib.__version__},
        library_files={"jax": jax.__file__, "jaxlib": jaxlib.__file__},
        meaning_of=meaning_of,
    )
    backend.memory_note = memory_note
    return backend
