"""Cases for frameworks in which every call returns a new array. Inputs and results are numpy arrays.

A device has
    put(array)       converts a numpy array to the framework's, in the memory where it computes
    get(result)      converts it back
    ready(result)    returns when the result is computed
    has_own_memory   false if it computes in host memory
"""

import math

import numpy as np

from . import evidence
from .backend import Prepared, Transfer, Unsupported
from .random_stream import FIRST_OPERAND, SECOND_OPERAND, RandomStream, chunks
from .timing import fastest, with_others


def make_inputs(shape, dtype, seed, stream):
    """A numpy array of this shape, row-major, with the stream's numbers; conversions round to nearest, ties to even."""
    numbers = RandomStream(seed, stream)
    values = np.empty(math.prod(shape), dtype=dtype)
    for first, count in chunks(values.size):
        piece = numbers.small_integers(first, count) if dtype == np.int8 else numbers.uniform(first, count)
        values[first : first + count] = piece.astype(dtype)
    return values.reshape(shape)


def show_result(values, elements, seed):
    """The evidence of a numpy array of shape outer x channels x ..."""

    def read_block(first, last):
        return values[first:last].astype(np.float64)

    shape = (values.shape[0], values.shape[1], math.prod(values.shape[2:]))
    return {
        "elements": values.reshape(-1)[elements].astype(np.float64).tolist(),
        "projections": evidence.project(read_block, shape, seed),
    }


def refuse_rotation(p):
    """Refuses rotating operands, because functions that are compiled for their operands always use the same."""
    if p.get("operands", "reused") == "rotating":
        raise Unsupported("operands do not rotate here")


class _Candidate:
    """A case that is made at the first call, and run at each. If it fails, its memory is free for the others."""

    def __init__(self, make):
        self._make, self.case = make, None

    def __call__(self):
        try:
            self.case = self.case or self._make()
            self.case.run_and_wait()
        except Exception:
            self.case = None
            raise


def fastest_case(makers):
    """The fastest of the cases that makers, name -> function, make one after the other; and its name with those of the
    others, for `algorithm`. One that cannot be made or run is only left out."""
    candidates = {name: _Candidate(make) for name, make in makers.items()}
    chosen, seconds = fastest(candidates, lambda: None)
    return candidates[chosen].case, with_others(chosen, seconds)


class Computed(Prepared):
    """A function of operands, compiled by its first call, which is made here. If the case moves data, operands are
    copied from host memory before it, and the result is copied back after it. There is no old result to poison, because
    each call returns a new one."""

    def __init__(self, function, operands, p, seed, device):
        self._function, self._seed, self._device = function, seed, device
        self._moves = device.has_own_memory and Transfer.of(p).moves
        self._on_host = operands if self._moves else None
        self._operands = [device.put(operand) for operand in operands]
        self._fetched = None
        self.run()
        self.wait()

    def run(self):
        self._result = self._function(*self._operands)

    def copy_inputs_to_device(self):
        if self._moves:
            self._operands = [self._device.put(operand) for operand in self._on_host]

    def copy_outputs_to_host(self):
        if self._moves:
            self._fetched = self._device.get(self._result)
        return self._moves

    def wait(self):
        self._device.ready(self._result)

    def run_and_wait(self):
        self.run()
        self.wait()

    def shown(self):
        """The result of one iteration, as a numpy array."""
        self.copy_inputs_to_device()
        self.run()
        return self._fetched if self.copy_outputs_to_host() else self._device.get(self._result)


class Convolved(Computed):
    """One pass of a convolution of operands(sizes, dtype, seed, axes). `axes` transpose source and result from NCHW and
    weights from OIHW."""

    def __init__(self, function, operands, p, seed, device, axes):
        super().__init__(function, operands, p, seed, device)
        self._is_weights = p["pass"] == "backward_weights"
        self._back = np.argsort(axes[1 if self._is_weights else 0])

    @staticmethod
    def operands(sizes, dtype, seed, axes):
        """The operands whose values influence the result, in the order of source, weights and gradient."""
        return [
            np.ascontiguousarray(make_inputs(shape, dtype, seed, stream).transpose(of_one))
            for (shape, stream), of_one in zip(sizes.operands(), axes)
            if stream is not None
        ]

    def show(self, elements):
        result = self.shown().transpose(self._back)
        # The weights' gradient is linear in its filters, with one result per filter: a single row of k channels.
        return show_result(result[np.newaxis] if self._is_weights else result, elements, self._seed)


class Multiplied(Computed):
    """A product of operands(p, dtype, seed)."""

    @staticmethod
    def operands(p, dtype, seed):
        """A and B as stored: batch x rows x columns, without the first axis if it is 1."""
        m, n, k = p["m"], p["n"], p["k"]
        outer = (p["batch"],) if p["batch"] > 1 else ()
        a, b = (k, m) if p["transpose_a"] else (m, k), (n, k) if p["transpose_b"] else (k, n)
        return [make_inputs(outer + a, dtype, seed, FIRST_OPERAND), make_inputs(outer + b, dtype, seed, SECOND_OPERAND)]

    @staticmethod
    def held_k_fastest(operands, p):
        """The operands with k as the fastest axis of both, in which tensor cores read types of 8 bits; and what
        `algorithm` says about it."""
        (a, b), held = operands, ""
        if p["transpose_a"]:
            a, held = np.ascontiguousarray(a.swapaxes(-1, -2)), ", A held transposed"
        if not p["transpose_b"]:
            b, held = np.ascontiguousarray(b.swapaxes(-1, -2)), f"{held}, B held transposed"
        return [a, b], held

    def show(self, elements):
        result = self.shown()
        return show_result(result.reshape(-1, result.shape[-1]), elements, self._seed)


class Launched(Computed):
    """A function that returns its argument through an operation, so that its only cost is to start it."""

    def __init__(self, function, p, seed, device):
        if not p["waits"] and not device.has_own_memory:
            raise Unsupported("a call on the CPU is done before the next can begin")
        self._waits = p["waits"]
        number = RandomStream(seed, FIRST_OPERAND).uniform(0, 1).reshape(1, 1, 1)
        super().__init__(function, [number], p, seed, device)

    def run(self):
        super().run()
        if self._waits:
            self.wait()

    def show(self, elements):
        return show_result(self.shown(), elements, self._seed)
