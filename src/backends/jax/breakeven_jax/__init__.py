"""JAX as its users run it: functions compiled by jax.jit, and the better of two memory formats for convolutions."""

import jax
import jaxlib

from breakeven_worker.backend import Backend, Operation, OutOfMemory, operations_of

from .device import Cpu, Gpu

__all__ = ["Cpu", "Gpu", "make_backend"]


def make_backend(make_device, version):
    jax.config.update("jax_enable_x64", True)  # float64 is asked for by name; nothing else becomes wider
    device = make_device()
    return Backend(
        name=device.name,
        version=version,
        device=device.kind,
        device_name=device.device_name,
        libraries={"jax": jax.__version__, "jaxlib": jax.lib.__version__, **device.libraries},
        library_files={"jax": jax.__file__, "jaxlib": jaxlib.__file__},
        operations=[_prepared_on(device, operation) for operation in operations_of(__name__, device)],
        unreadable=device.unreadable,
    )


def _prepared_on(device, operation):
    """The same with what every case of a device needs."""

    def prepare(parameters, seed):
        device.use_precision(parameters["dtype"])
        try:
            prepared = operation.prepare(parameters, seed)
        except jax.errors.JaxRuntimeError as e:
            if "RESOURCE_EXHAUSTED" in str(e):
                raise OutOfMemory(str(e).splitlines()[0]) from None
            raise
        prepared.flush = device.flush
        return prepared

    return Operation(operation.op, operation.dtypes, prepare)
