"""Starting work that does almost nothing: Tensor.fill_ of one number, with torch's whole overhead of an operation."""

import torch

from breakeven_worker.backend import Operation, Unsupported
from breakeven_worker.random_stream import FIRST_OPERAND, RandomStream

from .tensors import WithoutGradients, poison, show_result


def operations(device):
    return [Operation("launch", ["f32"], lambda parameters, seed: _Launch(parameters, seed, device))]


class _Launch(WithoutGradients):
    algorithm = "Tensor.fill_"

    @torch.inference_mode()
    def __init__(self, p, seed, device):
        if not p["waits"] and not device.has_own_memory:
            raise Unsupported("a call on the CPU is done before the next can begin")
        self._waits = p["waits"]
        self._seed = seed
        self._number = float(RandomStream(seed, FIRST_OPERAND).uniform(0, 1)[0])
        self._written = torch.empty((1, 1, 1), dtype=torch.float32, device=device.torch_device)

    def run(self):
        self._written.fill_(self._number)
        if self._waits:
            self.wait()

    def show(self, elements):
        poison(self._written)
        self.run()
        self.wait()
        return show_result(self._written, elements, self._seed)
