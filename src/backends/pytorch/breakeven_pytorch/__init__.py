"""PyTorch as its users run it: eager mode, default settings, and the better of its two memory formats."""

import torch

from breakeven_worker.backend import Backend, Operation, OutOfMemory

from . import bandwidth, conv2d, matmul, train_infer
from .device import Cpu, Gpu

__all__ = ["Cpu", "Gpu", "make_backend"]


def make_backend(make_device, threads, version):
    torch.set_num_threads(threads)
    device = make_device()
    operations = [
        operation
        for module in (matmul, conv2d, train_infer, bandwidth)
        for operation in module.operations(device)
    ]
    return Backend(
        name=device.name,
        version=version,
        device=device.kind,
        device_name=device.device_name,
        device_id=device.device_id,
        libraries={"torch": torch.__version__, **device.libraries},
        operations=[_prepared_on(device, operation) for operation in operations],
        unreadable=device.unreadable,
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
