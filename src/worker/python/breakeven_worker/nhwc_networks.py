"""The small networks as functions of their parameters: images as NHWC, weights as inputs x outputs and HWIO, as users
of JAX and TensorFlow write them. See src/workloads/network.h.

`ops` are a framework's functions: cast(x, dtype), matmul, conv(x, weights, pad), max_pool, relu, gelu, softmax,
reshape, transpose, split(x, parts) and softmax of the last axis, mean(x, axis, keepdims), square, rsqrt.
"""

import math

import numpy as np

from .dataset import CLASSES, PIXELS, SIDE
from .network_cases import initial_values


class Network:
    """initial(seed) returns the parameters, a list of numpy arrays. apply(ops, parameters, images, dtype) returns the
    logits of images, count x 784, with products and convolutions in `dtype`; it does not change the parameters."""

    def __init__(self, tensors, apply):
        self._tensors, self.apply = tensors, apply

    def initial(self, seed):
        """The initial values of all backends: uniform within 1/sqrt(fan in), positions within 0.02, norms one and
        zero."""
        made = []
        for index, (shape, start, arranged) in enumerate(self._tensors):
            if isinstance(start, str):
                values = np.full(shape, 1.0 if start == "one" else 0.0, dtype=np.float32)
            else:
                values = initial_values(index, math.prod(shape), start, seed).reshape(shape)
            made.append(np.ascontiguousarray(arranged(values)))
        return made


def make_network(p):
    return _NETWORKS[p["network"]](p)


# Tensors are (shape in the order in which values are generated, scale or constant, function that converts them to JAX's
# order).


def _as_is(values):
    return values


def _dense(inputs, outputs):
    scale = 1.0 / math.sqrt(inputs)
    return [((outputs, inputs), scale, np.transpose), ((outputs,), scale, _as_is)]


def _conv(inputs, outputs, extent):
    scale = 1.0 / math.sqrt(inputs * extent * extent)
    shape = (outputs, inputs, extent, extent)
    return [(shape, scale, lambda values: values.transpose(2, 3, 1, 0)), ((outputs,), scale, _as_is)]


def _dense_after(channels, side, outputs):
    """A dense layer on an input that others flatten as channels x height x width, here height x width x channels."""
    weights, bias = _dense(channels * side * side, outputs)
    shape, scale, _ = weights

    def arranged(values):
        return values.reshape(outputs, channels, side, side).transpose(2, 3, 1, 0).reshape(-1, outputs)

    return [(shape, scale, arranged), bias]


def _apply_dense(ops, x, weights, bias, dtype):
    *outer, inputs = x.shape
    rows = ops.reshape(ops.cast(x, dtype), (-1, inputs))
    made = ops.matmul(rows, ops.cast(weights, dtype)) + ops.cast(bias, dtype)
    return ops.reshape(made, (-1, *outer[1:], weights.shape[1]))


def _apply_conv(ops, x, weights, bias, dtype, pad=0):
    return ops.conv(ops.cast(x, dtype), ops.cast(weights, dtype), pad) + ops.cast(bias, dtype)


def _flat(ops, x):
    return ops.reshape(x, (-1, math.prod(x.shape[1:])))


def _mlp(p):
    width = p["width"] or 512

    def apply(ops, v, x, dtype):
        x = ops.relu(_apply_dense(ops, x, v[0], v[1], dtype))
        x = ops.relu(_apply_dense(ops, x, v[2], v[3], dtype))
        return _apply_dense(ops, x, v[4], v[5], dtype)

    return Network([*_dense(PIXELS, width), *_dense(width, width), *_dense(width, CLASSES)], apply)


def _lenet(_):
    tensors = [*_conv(1, 6, 5), *_conv(6, 16, 5), *_dense_after(16, 5, 120), *_dense(120, 84), *_dense(84, CLASSES)]

    def apply(ops, v, x, dtype):
        x = ops.reshape(x, (-1, SIDE, SIDE, 1))
        x = ops.max_pool(ops.relu(_apply_conv(ops, x, v[0], v[1], dtype, pad=2)))
        x = ops.max_pool(ops.relu(_apply_conv(ops, x, v[2], v[3], dtype)))
        x = ops.relu(_apply_dense(ops, _flat(ops, x), v[4], v[5], dtype))
        x = ops.relu(_apply_dense(ops, x, v[6], v[7], dtype))
        return _apply_dense(ops, x, v[8], v[9], dtype)

    return Network(tensors, apply)


def _cnn(_):
    tensors = [*_conv(1, 32, 3), *_conv(32, 64, 3), *_dense_after(64, 12, 128), *_dense(128, CLASSES)]

    def apply(ops, v, x, dtype):
        x = ops.reshape(x, (-1, SIDE, SIDE, 1))
        x = ops.relu(_apply_conv(ops, x, v[0], v[1], dtype))
        x = ops.max_pool(ops.relu(_apply_conv(ops, x, v[2], v[3], dtype)))
        x = ops.relu(_apply_dense(ops, _flat(ops, x), v[4], v[5], dtype))
        return _apply_dense(ops, x, v[6], v[7], dtype)

    return Network(tensors, apply)


def _norm(ops, x, scale, shift):
    x, scale, shift = (ops.cast(values, np.float32) for values in (x, scale, shift))
    centred = x - ops.mean(x, -1, True)
    return centred * ops.rsqrt(ops.mean(ops.square(centred), -1, True) + 1e-5) * scale + shift


def _transformer(p):
    """The transformer: an image's rows are the tokens, followed by one block with a norm after each part."""
    width, heads, hidden = p["width"] or 128, p["heads"] or 4, p["hidden"] or 512
    ones, zeros = ((width,), "one", _as_is), ((width,), "zero", _as_is)
    tensors = [
        *_dense(SIDE, width), ((SIDE, width), 0.02, _as_is), *_dense(width, 3 * width), *_dense(width, width),
        ones, zeros, *_dense(width, hidden), *_dense(hidden, width), ones, zeros, *_dense(width, CLASSES),
    ]  # fmt: skip

    def attention(ops, v, x, dtype):
        def of_heads(y):
            return ops.transpose(ops.reshape(y, (-1, SIDE, heads, width // heads)), (0, 2, 1, 3))

        q, k, values = (of_heads(part) for part in ops.split(_apply_dense(ops, x, v[3], v[4], dtype), 3))
        scores = ops.cast(ops.matmul(q, ops.transpose(k, (0, 1, 3, 2))), np.float32) / math.sqrt(width // heads)
        mixed = ops.matmul(ops.cast(ops.softmax(scores), dtype), values)
        joined = ops.reshape(ops.transpose(mixed, (0, 2, 1, 3)), (-1, SIDE, width))
        return _apply_dense(ops, joined, v[5], v[6], dtype)

    def add(ops, x, y):
        return ops.cast(x, np.float32) + ops.cast(y, np.float32)

    def apply(ops, v, x, dtype):
        x = add(ops, _apply_dense(ops, ops.reshape(x, (-1, SIDE, SIDE)), v[0], v[1], dtype), v[2])
        x = _norm(ops, add(ops, x, attention(ops, v, x, dtype)), v[7], v[8])
        inner = ops.gelu(_apply_dense(ops, x, v[9], v[10], dtype))
        x = _norm(ops, add(ops, x, _apply_dense(ops, inner, v[11], v[12], dtype)), v[13], v[14])
        return _apply_dense(ops, ops.mean(x, 1, False), v[15], v[16], dtype)

    return Network(tensors, apply)


_NETWORKS = {"mlp": _mlp, "lenet": _lenet, "cnn": _cnn, "transformer": _transformer}
