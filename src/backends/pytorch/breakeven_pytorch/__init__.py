"""PyTorch as its users run it: eager mode or torch.compile, and the better of its two memory formats."""

import torch

from breakeven_worker.backend import Backend, Operation, OutOfMemory, operations_of

from . import train_infer
from .device import Cpu, Gpu
from .ways import Compiled, Eager

__all__ = ["Compiled", "Cpu", "Eager", "Gpu", "make_backend"]


def make_backend(make_device, make_way, threads, version):
    torch.set_num_threads(threads)
    device = make_device()
    way = make_way(device)
    operations = train_infer.operations(device, way)
    if make_way is Eager:  # compiled, a single operation is the same call of the same library
        operations += operations_of(__name__, device, left_out=[train_infer])
    return Backend(
        name=device.name + way.suffix,
        version=version,
        device=device.kind,
        device_name=device.device_name,
        device_id=device.device_id,
        libraries={"torch": torch.__version__, **device.libraries},
        library_files={"torch": torch.__file__},
        operations=[_prepared_on(device, operation) for operation in operations],
        unreadable=device.unreadable,
        release=lambda: (way.forget(), device.release_memory()),
    )


def _prepared_on(device, operation):
    """The same with what every case of a device needs."""

    def prepare(parameters, seed):
        device.use_precision(parameters["dtype"])
        device.search_algorithms(parameters.get("tuned", True))
        try:
            prepared = operation.prepare(parameters, seed)
        except torch.OutOfMemoryError as e:
            raise OutOfMemory(str(e)) from None
        prepared.wait = device.wait
        prepared.flush = device.flush
        return prepared

    return Operation(operation.op, operation.dtypes, prepare)
