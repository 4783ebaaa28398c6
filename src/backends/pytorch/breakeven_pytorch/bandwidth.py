"""Memory bandwidth: torch.sum (read), torch.add (triad) and Tensor.copy_ (copy), into existing results."""

import torch

from breakeven_worker import host
from breakeven_worker.backend import Operation, OutOfMemory, Unsupported
from breakeven_worker.random_stream import FIRST_OPERAND, SECOND_OPERAND

from .moved import MOVED_COPIES, Moved, MovedCase, moves
from .tensors import DTYPES, make_inputs, poison, show_array, show_result

CPU = torch.device("cpu")


def operations(device):
    def operation(op, case):
        def prepare(parameters, seed):
            return case(parameters, seed, device)

        return Operation(op, ["f64", "f32"], prepare, moved_copies=MOVED_COPIES)

    return [operation("read", _Read), operation("triad", _Triad), operation("copy", _Copy)]


class _Arrays(MovedCase):
    """The common part of the three operations: flat arrays of `count` elements."""

    def __init__(self, p, seed):
        self._seed = seed
        self._dtype = DTYPES[p["dtype"]]
        self._count = p["bytes"] // self._dtype.itemsize

    def inputs(self, torch_device, stream):
        return make_inputs((self._count,), self._dtype, torch_device, self._seed, stream)

    def empty(self, torch_device, **memory):
        return torch.empty(self._count, dtype=self._dtype, device=torch_device, **memory)


class _Read(_Arrays):
    algorithm = "torch.sum"

    @torch.inference_mode()
    def __init__(self, p, seed, device):
        super().__init__(p, seed)
        self._array = self.inputs(device.torch_device, FIRST_OPERAND)
        self._sum = torch.empty((), dtype=self._dtype, device=device.torch_device)
        self.operands = [Moved(self._array, moves(p, device))]
        self.result = Moved(self._sum, moves(p, device))

    def run(self):
        torch.sum(self._array, 0, out=self._sum)

    def show(self, elements):
        return show_result(self.computed().view(1, 1, 1), elements, self._seed)


class _Triad(_Arrays):
    algorithm = "torch.add"

    @torch.inference_mode()
    def __init__(self, p, seed, device):
        super().__init__(p, seed)
        self._b = self.inputs(device.torch_device, FIRST_OPERAND)
        self._c = self.inputs(device.torch_device, SECOND_OPERAND)
        self._a = self.empty(device.torch_device)
        self.operands = [Moved(tensor, moves(p, device)) for tensor in (self._b, self._c)]
        self.result = Moved(self._a, moves(p, device))

    def run(self):
        torch.add(self._b, self._c, alpha=3, out=self._a)

    def show(self, elements):
        return show_array(self.computed(), elements, self._seed)


class _Copy(_Arrays):
    """A copy within the device, or from or to the host. It is asynchronous if the host's memory is pinned."""

    algorithm = "Tensor.copy_"

    @torch.inference_mode()
    def __init__(self, p, seed, device):
        super().__init__(p, seed)
        direction, pinned = p["direction"], p["memory"] == "pinned"
        if direction == "within":
            self._from = self.inputs(device.torch_device, FIRST_OPERAND)
            self._to = self.empty(device.torch_device)
            return
        if device.torch_device == CPU:
            raise Unsupported("there is no device to copy to or from: this backend computes in the host's memory")
        if 2 * p["bytes"] > host.available_memory():  # pinning copies the array, and so does making the numbers
            raise OutOfMemory(f"needs {2 * p['bytes'] / 2**30:.3g} GiB of the host's memory")
        self.reads_host = True
        if direction == "to_device":
            numbers = self.inputs(CPU, FIRST_OPERAND)
            self._from = numbers.pin_memory() if pinned else numbers
            self._to = self.empty(device.torch_device)
        else:
            self._from = self.inputs(device.torch_device, FIRST_OPERAND)
            self._to = self.empty(CPU, pin_memory=pinned)

    def run(self):
        self._to.copy_(self._from, non_blocking=True)

    def show(self, elements):
        poison(self._to)
        self.run()
        self.wait()
        return show_array(self._to, elements, self._seed)
