"""What the devices of the frameworks have in common, and the backend that a framework is on one of them.

A framework's own device adds what computed.py asks for, and on a GPU available_memory().
"""

import ctypes
import dataclasses
import uuid

from . import host
from .backend import Backend


class _Device:
    device_id = ""

    def inference_dtypes(self):
        return [dtype for dtype in ("f32", "tf32", "f16", "bf16") if dtype in self.dtypes]

    def is_lost(self):
        """True if this process can no longer use the device. CUDA answers every call with the same error after an illegal
        address, a launch that timed out or an uncorrected memory error (CUDA Runtime API, cudaErrorIllegalAddress)."""
        return False

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


def id_of_gpu(number, name, load=ctypes.CDLL):
    """The UUID, as NVIDIA's tools show it, of the GPU with this number among those that the process sees. Empty if
    CUDA's driver does not say, or says another name: then the framework counts its GPUs otherwise."""
    try:
        cuda = load("libcuda.so.1")
    except OSError:
        return ""
    # The second version knows the partitions of a GPU (MIG). Drivers before CUDA 11.4 lack it.
    read_uuid = getattr(cuda, "cuDeviceGetUuid_v2", None) or cuda.cuDeviceGetUuid
    device, said, found = ctypes.c_int(), ctypes.create_string_buffer(256), (ctypes.c_ubyte * 16)()
    failed = (
        cuda.cuInit(0)
        or cuda.cuDeviceGet(ctypes.byref(device), number)
        or cuda.cuDeviceGetName(said, len(said), device)
        or read_uuid(found, device)
    )
    if failed or said.value.decode(errors="replace") != name:
        return ""
    return f"GPU-{uuid.UUID(bytes=bytes(found))}"


def fails_twice(use):
    """True if use() raises an exception twice in a row: the first may report an error of earlier work."""
    for _ in range(2):
        try:
            use()
        except Exception:
            continue
        return False
    return True


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
        is_lost=device.is_lost,
    )


def _on(device, operation):
    def prepare(parameters, seed):
        device.begin_case(parameters)
        prepared = operation.prepare(parameters, seed)
        device.complete(prepared)
        return prepared

    return dataclasses.replace(operation, prepare=prepare)
