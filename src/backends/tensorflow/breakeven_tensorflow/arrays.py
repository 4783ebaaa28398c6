"""Element types, ways to run a function, and the operations of networks."""

import functools

import tensorflow as tf

from breakeven_worker.timing import fastest, may_race, with_others

DTYPES = {
    "f64": tf.float64,
    "f32": tf.float32,
    "tf32": tf.float32,
    "f16": tf.float16,
    "bf16": tf.bfloat16,
    "s8": tf.int8,
}

# The two ways to run a function: with TensorFlow's own kernels, or compiled by XLA.
WAYS = {
    "tf.function": functools.partial(tf.function, autograph=False),
    "tf.function with XLA": functools.partial(tf.function, autograph=False, jit_compile=True),
}


def fastest_way(p, make):
    """Returns the fastest of the cases make(way), which have run_and_wait(), for each of WAYS; the first one, if the
    parameters forbid a race. Sets its `algorithm`. A way that TensorFlow refuses is left out, unless both are
    refused."""
    candidates, refused = {}, None
    for name, way in WAYS.items():
        if candidates and not may_race(p):
            break
        try:
            candidates[name] = make(way)
        except (tf.errors.OpError, TypeError, ValueError) as e:
            refused = e
    if not candidates:
        raise refused
    chosen, seconds = fastest({name: case.run_and_wait for name, case in candidates.items()}, lambda: None)
    case = candidates[chosen]
    case.algorithm = with_others(chosen, seconds)
    return case


class Ops:
    """The operations that breakeven_worker/nhwc_networks.py and nhwc_models.py need."""

    matmul, relu, softmax = tf.linalg.matmul, tf.nn.relu, tf.nn.softmax
    reshape, transpose, square, cast = tf.reshape, tf.transpose, tf.square, tf.cast
    sqrt, rsqrt = tf.sqrt, tf.math.rsqrt

    @staticmethod
    def gelu(x):
        return tf.nn.gelu(x, approximate=False)

    @staticmethod
    def conv(x, weights, pad):
        return tf.nn.conv2d(x, weights, 1, [[0, 0], [pad, pad], [pad, pad], [0, 0]])

    @staticmethod
    def max_pool(x):
        return tf.nn.max_pool2d(x, 2, 2, "VALID")

    @staticmethod
    def split(x, parts):
        return tf.split(x, parts, axis=-1)

    @staticmethod
    def mean(x, axis, keepdims):
        return tf.reduce_mean(x, axis=axis, keepdims=keepdims)
