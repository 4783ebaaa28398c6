"""C = A B: tf.linalg.matmul."""

import tensorflow as tf

from breakeven_worker.backend import Operation, Unsupported
from breakeven_worker.computed import Computed, check_memory, make_inputs, show_result
from breakeven_worker.random_stream import FIRST_OPERAND, SECOND_OPERAND

from .arrays import DTYPES, fastest_way


def operations(device):
    return [Operation("matmul", device.dtypes, lambda parameters, seed: _prepare(parameters, seed, device))]


class _Matmul(Computed):
    def __init__(self, function, operands, p, seed, device):
        super().__init__(function, operands, p, device)
        self._seed = seed

    def show(self, elements):
        result = self.shown()
        return show_result(result.reshape(-1, result.shape[-1]), elements, self._seed)


def _prepare(p, seed, device):
    if p.get("operands", "reused") == "rotating":
        raise Unsupported("operands do not rotate here")
    m, n, k, batch, dtype = p["m"], p["n"], p["k"], p["batch"], DTYPES[p["dtype"]]
    wider = {"output_type": tf.int32} if dtype == tf.int8 else {}
    check_memory(2 * batch * ((m * k + k * n) * dtype.size + m * n * (4 if wider else dtype.size)), device)
    outer = (batch,) if batch > 1 else ()
    shapes = outer + ((k, m) if p["transpose_a"] else (m, k)), outer + ((n, k) if p["transpose_b"] else (k, n))
    operands = [
        make_inputs(shape, dtype.as_numpy_dtype, seed, stream)
        for shape, stream in zip(shapes, (FIRST_OPERAND, SECOND_OPERAND))
    ]

    def product(a, b):
        return tf.linalg.matmul(a, b, transpose_a=p["transpose_a"], transpose_b=p["transpose_b"], **wider)

    return fastest_way(lambda way: _Matmul(way(product), operands, p, seed, device))
