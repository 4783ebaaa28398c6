"""Element types, and the operations of networks."""

import jax
import jax.numpy as jnp

DTYPES = {
    "f64": jnp.float64,
    "f32": jnp.float32,
    "tf32": jnp.float32,
    "f16": jnp.float16,
    "bf16": jnp.bfloat16,
    "f8e4m3": jnp.float8_e4m3fn,
    "s8": jnp.int8,
}

# The types of results of products, if they differ from those of the inputs.
_OUTPUTS = {"f8e4m3": jnp.bfloat16, "s8": jnp.int32}


def output_dtype(name):
    return _OUTPUTS.get(name, DTYPES[name])


class Ops:
    """The operations that breakeven_worker/nhwc_networks.py and nhwc_models.py need."""

    matmul, relu, softmax = jnp.matmul, jax.nn.relu, jax.nn.softmax
    reshape, transpose, square = jnp.reshape, jnp.transpose, jnp.square
    sqrt, rsqrt = jnp.sqrt, jax.lax.rsqrt

    @staticmethod
    def cast(x, dtype):
        return x.astype(dtype)

    @staticmethod
    def gelu(x):
        return jax.nn.gelu(x, approximate=False)

    @staticmethod
    def conv(x, weights, pad):
        layouts = ("NHWC", "HWIO", "NHWC")
        return jax.lax.conv_general_dilated(x, weights, (1, 1), [(pad, pad)] * 2, dimension_numbers=layouts)

    @staticmethod
    def max_pool(x):
        return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")

    @staticmethod
    def split(x, parts):
        return jnp.split(x, parts, axis=-1)

    @staticmethod
    def mean(x, axis, keepdims):
        return x.mean(axis=axis, keepdims=keepdims)
