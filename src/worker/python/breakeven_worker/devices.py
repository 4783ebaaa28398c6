"""What the devices of the frameworks have in common, and the backend that a framework is on one of them.

A framework's own device adds what computed.py asks for, and on a GPU available_memory().
"""

import dataclasses

from . import host
from .backend import Backend


class _Device:
    device_id = ""

    def inference_dtypes(self):
        return [dtype for dtype in ("f32", "tf32", "f16", "bf16") if dtype in self.dtypes]

    def begin_case(self, parameters):
        self.use_precision(parameters["dtype"])

    def complete(self, prepared):
        """Gives a case what all cases on the device have in common."""
        prepared.flush = self.flush


class Cpu(_Device):
    kind = "cpu"
    has_own_memory = False
    training_dtypes = ["f32", "bf16"]
    libraries = {}
    unreadable = {"device_seconds": "the device is the CPU: its time is 'seconds'"}

    def __init__(self):
        self.device_name = host.cpu_model()

    def use_precision(self, dtype):
        pass  # a type is computed in itself

    def flush(self):
        return False  # its caches are the host's

    def available_memory(self):
        return host.available_memory()


class Gpu(_Device):
    kind = "gpu"
    has_own_memory = True
    unreadable = {"device_seconds": "a framework's time is that of its user, launches included"}
    dtypes = ["f64", "f32", "tf32", "f16", "bf16", "f8e4m3", "s8"]
    training_dtypes = ["f32", "tf32", "f16", "bf16"]

    def drop_ampere_dtypes(self):
        """TF32 and bf16, which came with compute capability 8.0."""
        for name in ("dtypes", "training_dtypes", "convolution_dtypes"):
            dtypes = getattr(self, name, [])
            setattr(self, name, [dtype for dtype in dtypes if dtype not in ("tf32", "bf16")])


def backend_on(device, version, operations, libraries, library_files, meaning_of):
    """A framework on a device. meaning_of(error) is the Unsupported or OutOfMemory that the framework's error stands for;
    None for any other."""
    return Backend(
        name=device.name,
        version=version,
        device=device.kind,
        device_name=device.device_name,
        device_id=device.device_id,
        libraries={**libraries, **device.libraries},
        library_files=library_files,
        operations=[_on(device, operation) for operation in operations],
        unreadable=device.unreadable,
        available_memory=device.available_memory,
        meaning_of=meaning_of,
    )


def _on(device, operation):
    def prepare(parameters, seed):
        device.begin_case(parameters)
        prepared = operation.prepare(parameters, seed)
        device.complete(prepared)
        return prepared

    return dataclasses.replace(operation, prepare=prepare)
