"""The small networks as functions of their parameters: images of NHWC, weights as inputs x outputs and HWIO, which is
what JAX's users write. See src/network/network.h."""

import math

import jax
import jax.numpy as jnp
import numpy as np

from breakeven_worker.dataset import CLASSES, PIXELS, SIDE
from breakeven_worker.network_cases import initial_values


class Network:
    """initial(seed): the parameters, a list of numpy arrays. apply(parameters, images, dtype): the logits of images,
    count x 784, products and convolutions being of `dtype`; parameters stay what they are."""

    def __init__(self, tensors, apply):
        self._tensors, self.apply = tensors, apply

    def initial(self, seed):
        """As every backend starts: uniform within 1/sqrt(fan in), positions within 0.02, norms with one and zero."""
        made = []
        for index, (shape, start, arranged) in enumerate(self._tensors):
            if isinstance(start, str):
                values = np.full(shape, 1.0 if start == "one" else 0.0, dtype=np.float32)
            else:
                values = initial_values(index, math.prod(shape), start, seed).reshape(shape)
            made.append(np.ascontiguousarray(arranged(values)))
        return made

    def parameter_count(self):
        return sum(math.prod(shape) for shape, _, _ in self._tensors)


def make_network(p):
    return _NETWORKS[p["network"]](p)


# Tensors as (shape in the order in which their values are made, scale or constant, what brings them to JAX's order).


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
    """Of what was flattened as channels x height x width, and is height x width x channels here."""
    weights, bias = _dense(channels * side * side, outputs)
    shape, scale, _ = weights

    def arranged(values):
        return values.reshape(outputs, channels, side, side).transpose(2, 3, 1, 0).reshape(-1, outputs)

    return [(shape, scale, arranged), bias]


def _apply_dense(x, weights, bias, dtype):
    return jnp.matmul(x.astype(dtype), weights.astype(dtype)) + bias.astype(dtype)


def _apply_conv(x, weights, bias, dtype, pad=0):
    made = jax.lax.conv_general_dilated(
        x.astype(dtype), weights.astype(dtype), (1, 1), [(pad, pad)] * 2, dimension_numbers=("NHWC", "HWIO", "NHWC")
    )
    return made + bias.astype(dtype)


def _max_pool(x):
    return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


def _mlp(p):
    width = p["width"] or 512

    def apply(v, x, dtype):
        x = jax.nn.relu(_apply_dense(x, v[0], v[1], dtype))
        x = jax.nn.relu(_apply_dense(x, v[2], v[3], dtype))
        return _apply_dense(x, v[4], v[5], dtype)

    return Network([*_dense(PIXELS, width), *_dense(width, width), *_dense(width, CLASSES)], apply)


def _lenet(_):
    tensors = [*_conv(1, 6, 5), *_conv(6, 16, 5), *_dense_after(16, 5, 120), *_dense(120, 84), *_dense(84, CLASSES)]

    def apply(v, x, dtype):
        x = x.reshape(-1, SIDE, SIDE, 1)
        x = _max_pool(jax.nn.relu(_apply_conv(x, v[0], v[1], dtype, pad=2)))
        x = _max_pool(jax.nn.relu(_apply_conv(x, v[2], v[3], dtype)))
        x = jax.nn.relu(_apply_dense(x.reshape(len(x), -1), v[4], v[5], dtype))
        x = jax.nn.relu(_apply_dense(x, v[6], v[7], dtype))
        return _apply_dense(x, v[8], v[9], dtype)

    return Network(tensors, apply)


def _cnn(_):
    tensors = [*_conv(1, 32, 3), *_conv(32, 64, 3), *_dense_after(64, 12, 128), *_dense(128, CLASSES)]

    def apply(v, x, dtype):
        x = x.reshape(-1, SIDE, SIDE, 1)
        x = jax.nn.relu(_apply_conv(x, v[0], v[1], dtype))
        x = _max_pool(jax.nn.relu(_apply_conv(x, v[2], v[3], dtype)))
        x = jax.nn.relu(_apply_dense(x.reshape(len(x), -1), v[4], v[5], dtype))
        return _apply_dense(x, v[6], v[7], dtype)

    return Network(tensors, apply)


def _norm(x, scale, shift):
    x = x.astype(jnp.float32)
    mean = x.mean(axis=-1, keepdims=True)
    variance = jnp.square(x - mean).mean(axis=-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(variance + 1e-5) * scale + shift


def _transformer(p):
    """An image's rows are the tokens; one block whose norms are behind its parts."""
    width, heads, hidden = p["width"] or 128, p["heads"] or 4, p["hidden"] or 512
    ones, zeros = ((width,), "one", _as_is), ((width,), "zero", _as_is)
    tensors = [
        *_dense(SIDE, width), ((SIDE, width), 0.02, _as_is), *_dense(width, 3 * width), *_dense(width, width),
        ones, zeros, *_dense(width, hidden), *_dense(hidden, width), ones, zeros, *_dense(width, CLASSES),
    ]  # fmt: skip

    def attention(v, x, dtype):
        def of_heads(y):
            return y.reshape(*y.shape[:2], heads, -1).transpose(0, 2, 1, 3)

        q, k, values = (of_heads(part) for part in jnp.split(_apply_dense(x, v[3], v[4], dtype), 3, axis=-1))
        scores = jnp.matmul(q, k.mT).astype(jnp.float32) / math.sqrt(width // heads)
        mixed = jnp.matmul(jax.nn.softmax(scores, axis=-1).astype(dtype), values)
        return _apply_dense(mixed.transpose(0, 2, 1, 3).reshape(x.shape), v[5], v[6], dtype)

    def apply(v, x, dtype):
        x = _apply_dense(x.reshape(-1, SIDE, SIDE), v[0], v[1], dtype) + v[2]
        x = _norm(x + attention(v, x, dtype), v[7], v[8])
        inner = jax.nn.gelu(_apply_dense(x, v[9], v[10], dtype), approximate=False)
        x = _norm(x + _apply_dense(inner, v[11], v[12], dtype), v[13], v[14])
        return _apply_dense(x.mean(axis=1), v[15], v[16], dtype)

    return Network(tensors, apply)


_NETWORKS = {"mlp": _mlp, "lenet": _lenet, "cnn": _cnn, "transformer": _transformer}
