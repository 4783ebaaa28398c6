"""Convolution and its two gradients, in the faster of PyTorch's two memory formats; untuned, in its default one."""

import torch

from breakeven_worker.backend import Operation
from breakeven_worker.convolution import Convolution
from breakeven_worker.operand_sets import in_turn, operand_sets
from breakeven_worker.timing import fastest, may_race, with_others

from .moved import MOVED_COPIES, Moved, MovedCase, moves
from .tensors import DTYPES, FORMATS, make_inputs, poison, show_result, tried


def operations(device):
    floats = [dtype for dtype in device.dtypes if dtype not in ("f8e4m3", "s8")]
    return [
        Operation(
            op="conv2d",
            **tried(floats, lambda dtype: _probe(dtype, device)),
            prepare=lambda parameters, seed: _Conv2d(parameters, seed, device),
            moved_copies=MOVED_COPIES,
        )
    ]


def _probe(dtype, device):
    x = torch.zeros((1, 16, 8, 8), dtype=DTYPES[dtype], device=device.torch_device)
    w = torch.zeros((16, 16, 3, 3), dtype=DTYPES[dtype], device=device.torch_device)
    torch.conv2d(x, w)


class _Conv2d(MovedCase):
    """A convolution. run() stores its result in self._results, at the index of its operand set. It is a new tensor each
    time: torch has no out= here that does not copy, so users pay for the allocation, too."""

    @torch.inference_mode()
    def __init__(self, p, seed, device):
        self._problem = Convolution(p)
        self._seed = seed
        sizes = self._problem
        dtype = DTYPES[p["dtype"]]
        self.operand_sets = operand_sets(p, device)
        # Both formats are in memory while they are compared.
        both = may_race(p) and 2 * p.memory_bytes <= device.available_memory()
        formats = FORMATS if both else {"contiguous": torch.contiguous_format}
        operands = [
            torch.empty(shape, dtype=dtype, device=device.torch_device)
            if stream is None
            else make_inputs(shape, dtype, device.torch_device, seed, stream)
            for shape, stream in sizes.operands()
        ]
        candidates = {name: _Call(sizes, operands, memory_format) for name, memory_format in formats.items()}
        chosen, seconds = fastest(candidates, device.wait)
        self._call = candidates[chosen]
        self.algorithm = with_others(chosen, seconds)
        more = [
            _Call(sizes, [operand.clone() for operand in operands], formats[chosen])
            for _ in range(1, self.operand_sets)
        ]
        self._results = [None] * self.operand_sets
        self.run = in_turn([self._into(at, call) for at, call in enumerate([self._call, *more])])
        if moves(p, device):
            self.operands = [Moved(tensor, True) for tensor in self._call.read()]
            self.result = Moved(self._call(), True)

    def _into(self, at, call):
        results = self._results

        def run():
            results[at] = call()

        return run

    def copy_outputs_to_host(self):
        return self.result is not None and self.result.copy_outputs_to_host(self._results[-1])

    def show(self, elements):
        # A new result probably reuses the memory of the released one: poison it, so that elements left out are NaN.
        for result in self._results:
            if result is not None:
                poison(result)
        poison(self._call())
        if self.result is not None:
            poison(self.result.on_host)
        for operand in self.operands:
            operand.forget_on_device()
        self.copy_inputs_to_device()
        for _ in self._results:
            self.run()
        fetched = self.copy_outputs_to_host()
        self.wait()
        result = self.result.on_host if fetched else self._results[-1]
        # The weights' gradient has one result per filter, and is linear in it: show it as one row of k channels.
        result = result.unsqueeze(0) if self._problem.direction == "backward_weights" else result
        return show_result(result, elements, self._seed)


class _Call:
    """One pass with its operands in one memory format."""

    def __init__(self, problem, operands, memory_format):
        self._source, self._weights, *self._gradient = (
            tensor.contiguous(memory_format=memory_format) for tensor in operands
        )
        self._problem = problem
        self._mask = [problem.direction == "backward_data", problem.direction == "backward_weights", False]
        self._run = self._forward if problem.direction == "forward" else self._backward

    def __call__(self):
        return self._run()

    def read(self):
        """Returns the tensors whose values influence the result, and not only their shape."""
        first = [self._source] if self._problem.direction != "backward_data" else []
        second = [self._weights] if self._problem.direction != "backward_weights" else []
        return [*first, *second, *self._gradient]

    def _forward(self):
        p = self._problem
        return torch.conv2d(self._source, self._weights, None, p.stride, p.pad, p.dilation, p.groups)

    def _backward(self):
        # autograd calls this function, and so does torch.nn.grad to get one gradient alone.
        p = self._problem
        gradients = torch.ops.aten.convolution_backward(
            *self._gradient, self._source, self._weights, None,
            p.stride, p.pad, p.dilation, False, [0, 0], p.groups, self._mask,
        )  # fmt: skip
        return gradients[0] if self._mask[0] else gradients[1]
