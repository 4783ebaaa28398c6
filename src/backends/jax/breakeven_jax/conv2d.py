"""Convolution and its two gradients, in the better of two memory formats."""

import math

import jax
import jax.numpy as jnp
import numpy as np

from breakeven_worker.backend import Operation, Unsupported
from breakeven_worker.random_stream import FIRST_OPERAND, OUTPUT_GRADIENT, SECOND_OPERAND
from breakeven_worker.timing import fastest

from .arrays import Computed, check_memory, make_inputs, show_result, DTYPES

# Layouts of source and result, and of weights; where the axes of what is made (NCHW, OIHW) go.
_FORMATS = {
    "NHWC": (("NHWC", "HWIO", "NHWC"), (0, 2, 3, 1), (2, 3, 1, 0)),
    "NCHW": (("NCHW", "OIHW", "NCHW"), (0, 1, 2, 3), (0, 1, 2, 3)),
}


def operations(device):
    floats = [name for name in device.dtypes if name not in ("f8e4m3", "s8")]
    return [Operation("conv2d", floats, lambda parameters, seed: _prepare(parameters, seed, device))]


class _Conv2d(Computed):
    """`back`: the axes that bring the result to NCHW, or of weights to OIHW."""

    def __init__(self, function, operands, p, seed, device, back):
        super().__init__(function, operands, p, device)
        self._seed, self._back = seed, back
        self._is_weights = p["pass"] == "backward_weights"

    def show(self, elements):
        result = np.asarray(self.shown()).transpose(self._back)
        # The weights' gradient is linear in its filters, one result a filter: a single row of k channels.
        return show_result(result[np.newaxis] if self._is_weights else result, elements, self._seed)


def _prepare(p, seed, device):
    if p.get("operands", "reused") == "rotating":
        raise Unsupported("operands do not rotate here")
    pads = [p["pad"], p["pad"] if p["pad_w"] == -1 else p["pad_w"]]
    strides = [p["stride"], p["stride"] if p["stride_w"] == -1 else p["stride_w"]]
    source = (p["n"], p["c"], p["h"], p["w"])
    weights = (p["k"], p["c"] // p["groups"], p["r"], p["s"])
    spatial = [
        (size + 2 * pad - p["dilation"] * (extent - 1) - 1) // stride + 1
        for size, extent, pad, stride in zip(source[2:], weights[2:], pads, strides)
    ]
    result = (p["n"], p["k"], *spatial)
    elements = math.prod(source) + math.prod(weights) + math.prod(result)
    check_memory(2 * elements * jnp.dtype(DTYPES[p["dtype"]]).itemsize, device)

    def inputs(shape, stream, axes):
        return np.ascontiguousarray(make_inputs(shape, p["dtype"], seed, stream).transpose(axes))

    candidates = {}
    for name, (layouts, image_axes, weight_axes) in _FORMATS.items():
        def forward(x, w, layouts=layouts):
            return jax.lax.conv_general_dilated(
                x, w, strides, [(pad, pad) for pad in pads], rhs_dilation=[p["dilation"]] * 2,
                dimension_numbers=layouts, feature_group_count=p["groups"],
            )  # fmt: skip

        x_shape = jax.ShapeDtypeStruct([source[axis] for axis in image_axes], DTYPES[p["dtype"]])
        w_shape = jax.ShapeDtypeStruct([weights[axis] for axis in weight_axes], DTYPES[p["dtype"]])
        if p["pass"] == "forward":
            function = forward
            operands = [inputs(source, FIRST_OPERAND, image_axes), inputs(weights, SECOND_OPERAND, weight_axes)]
        elif p["pass"] == "backward_data":
            # A convolution is linear in either operand, so that its gradient is its transpose.
            def function(w, gradient, forward=forward, x_shape=x_shape):
                return jax.linear_transpose(lambda x: forward(x, w), x_shape)(gradient)[0]

            operands = [inputs(weights, SECOND_OPERAND, weight_axes), inputs(result, OUTPUT_GRADIENT, image_axes)]
        else:
            def function(x, gradient, forward=forward, w_shape=w_shape):
                return jax.linear_transpose(lambda w: forward(x, w), w_shape)(gradient)[0]

            operands = [inputs(source, FIRST_OPERAND, image_axes), inputs(result, OUTPUT_GRADIENT, image_axes)]
        back = np.argsort(weight_axes if p["pass"] == "backward_weights" else image_axes)
        candidates[name] = _Conv2d(jax.jit(function), operands, p, seed, device, back)

    def called(case):
        def run():
            case.run()
            case.wait()

        return run

    chosen, seconds = fastest({name: called(case) for name, case in candidates.items()}, lambda: None)
    others = [f"{name} took {seconds[name] / seconds[chosen]:.3g}x" for name in seconds if name != chosen]
    case = candidates[chosen]
    case.algorithm = ", ".join([f"jax.jit, {chosen}", *others])
    return case
