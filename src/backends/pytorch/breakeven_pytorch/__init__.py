"""PyTorch as its users run it: eager mode or torch.compile, and the faster of its two memory formats."""

import torch

from breakeven_worker.backend import OutOfMemory, operations_of, out_of_memory_in
from breakeven_worker.devices import backend_on
from breakeven_worker.ranks import own_ranks

from . import train_infer
from .data_parallel import make_store
from .device import Cpu, Gpu
from .ways import Compiled, Eager

__all__ = ["Gpu", "make_backend"]


def make_backend(program, threads, version):
    """`program`: "pytorch", with "-cuda" for a GPU and "-compiled" for torch.compile."""
    torch.set_num_threads(threads)
    ranks = own_ranks()
    if ranks.count > 1 and ranks.store is None:
        ranks.store = make_store(ranks)
    device = Gpu() if "-cuda" in program else Cpu()
    compiled = program.endswith("-compiled")
    way = Compiled(device) if compiled else Eager(device)
    operations = train_infer.operations(device, way)
    if not compiled:  # a single operation is the same call of the same library when compiled
        operations += operations_of(__name__, device, left_out=[train_infer])
    backend = backend_on(
        device, version, operations, {"torch": torch.__version__}, {"torch": torch.__file__}, meaning_of=_meaning_of
    )
    backend.name += way.suffix
    backend.forget, backend.release = way.forget, device.release_memory
    if not compiled:  # what is compiled has its number of threads in it
        backend.use_threads = torch.set_num_threads
    return backend


def _meaning_of(error):
    if isinstance(error, torch.OutOfMemoryError):
        return OutOfMemory(str(error))
    return out_of_memory_in(error) if isinstance(error, RuntimeError) else None
