"""Convolution and its two gradients, in the faster of two memory formats."""

import functools

import jax
import jax.numpy as jnp

from breakeven_worker.backend import Operation
from breakeven_worker.computed import Convolved, fastest_case, refuse_rotation
from breakeven_worker.convolution import Convolution
from breakeven_worker.timing import may_race

from .arrays import DTYPES

# Layouts of source, weights and result; then the permutations of the inputs' axes (NCHW, OIHW).
_FORMATS = {
    "NHWC": (("NHWC", "HWIO", "NHWC"), (0, 2, 3, 1), (2, 3, 1, 0)),
    "NCHW": (("NCHW", "OIHW", "NCHW"), (0, 1, 2, 3), (0, 1, 2, 3)),
}


def operations(device):
    floats = [name for name in device.dtypes if name not in ("f8e4m3", "s8")]
    return [Operation("conv2d", floats, lambda parameters, seed: _prepare(parameters, seed, device), host_copies=1)]


def _prepare(p, seed, device):
    refuse_rotation(p)
    sizes = Convolution(p)
    dtype = jnp.dtype(DTYPES[p["dtype"]])

    def in_format(layouts, image_axes, weight_axes):
        def forward(x, w):
            return jax.lax.conv_general_dilated(
                x, w, sizes.stride, [(pad, pad) for pad in sizes.pad], rhs_dilation=sizes.dilation,
                dimension_numbers=layouts, feature_group_count=sizes.groups,
            )  # fmt: skip

        # A convolution is linear in either operand, so its gradients are its transposes.
        def backward_data(w, gradient):
            return jax.linear_transpose(lambda x: forward(x, w), shapes[0])(gradient)[0]

        def backward_weights(x, gradient):
            return jax.linear_transpose(lambda w: forward(x, w), shapes[1])(gradient)[0]

        axes = (image_axes, weight_axes, image_axes)
        shapes = [
            jax.ShapeDtypeStruct([shape[axis] for axis in of_one], dtype)
            for shape, of_one in zip((sizes.source, sizes.weights), axes)
        ]
        operands = Convolved.operands(sizes, dtype, seed, axes)
        function = {"forward": forward, "backward_data": backward_data, "backward_weights": backward_weights}
        return Convolved(jax.jit(function[sizes.direction]), operands, p, seed, device, axes)

    # Both formats are in memory while they are compared.
    both = may_race(p) and 2 * p.memory_bytes <= device.available_memory()
    formats = _FORMATS if both else {"NHWC": _FORMATS["NHWC"]}
    case, compared = fastest_case({name: functools.partial(in_format, *axes) for name, axes in formats.items()})
    case.algorithm = f"jax.jit, {compared}"
    return case
