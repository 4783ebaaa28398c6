"""C = A B: tf.linalg.matmul."""

import tensorflow as tf

from breakeven_worker.backend import Operation
from breakeven_worker.computed import Multiplied, refuse_rotation

from .arrays import DTYPES, fastest_way


def operations(device):
    def prepare(parameters, seed):
        return _prepare(parameters, seed, device)

    return [Operation("matmul", device.dtypes, prepare, copies=2, host_copies=2)]


def _prepare(p, seed, device):
    refuse_rotation(p)
    dtype = DTYPES[p["dtype"]]
    wider = {"output_type": tf.int32} if dtype == tf.int8 else {}
    operands = Multiplied.operands(p, dtype.as_numpy_dtype, seed)

    def product(a, b):
        return tf.linalg.matmul(a, b, transpose_a=p["transpose_a"], transpose_b=p["transpose_b"], **wider)

    return fastest_way(p, lambda way: Multiplied(way(product), operands, p, seed, device))
