"""Convolution and its two gradients, in the memory formats that the device's kernels support."""

import functools

import tensorflow as tf

from breakeven_worker.backend import Operation
from breakeven_worker.computed import Convolved, fastest_case, refuse_rotation
from breakeven_worker.convolution import Convolution
from breakeven_worker.timing import may_race

from .arrays import DTYPES, fastest_way

_IMAGE_AXES = {"NHWC": (0, 2, 3, 1), "NCHW": (0, 1, 2, 3)}
_WEIGHT_AXES = (2, 3, 1, 0)  # from OIHW to HWIO, whatever the images' format


def operations(device):
    return [
        Operation(
            op="conv2d",
            dtypes=device.convolution_dtypes,
            prepare=lambda parameters, seed: _prepare(parameters, seed, device),
            copies=2,
            racing=2,
            host_copies=2,
        )
    ]


def _prepare(p, seed, device):
    refuse_rotation(p)
    sizes = Convolution(p)
    dtype = DTYPES[p["dtype"]]
    formats = device.formats if may_race(p) else list(device.formats)[:1]
    case, compared = fastest_case(
        {layout: functools.partial(_in_format, p, sizes, dtype, layout, seed, device) for layout in formats}
    )
    case.algorithm = f"{compared}, {case.algorithm}"
    return case


def _in_format(p, sizes, dtype, layout, seed, device):
    axes = (_IMAGE_AXES[layout], _WEIGHT_AXES, _IMAGE_AXES[layout])
    shapes = [[shape[axis] for axis in of_one] for shape, of_one in zip((sizes.source, sizes.weights), axes)]
    operands = Convolved.operands(sizes, dtype.as_numpy_dtype, seed, axes)

    def by_axis(outer, height_and_width):
        return [[outer, outer, *height_and_width][axis] for axis in axes[0]]

    how = {
        "strides": by_axis(1, sizes.stride),
        "padding": "EXPLICIT",
        "explicit_paddings": sum(by_axis([0, 0], [[pad, pad] for pad in sizes.pad]), []),
        "data_format": layout,
        "dilations": by_axis(1, sizes.dilation),
    }

    def forward(x, w):
        return tf.raw_ops.Conv2D(input=x, filter=w, **how)

    def backward_data(w, gradient):
        return tf.raw_ops.Conv2DBackpropInput(input_sizes=shapes[0], filter=w, out_backprop=gradient, **how)

    def backward_weights(x, gradient):
        return tf.raw_ops.Conv2DBackpropFilter(input=x, filter_sizes=shapes[1], out_backprop=gradient, **how)

    function = {"forward": forward, "backward_data": backward_data, "backward_weights": backward_weights}
    return fastest_way(p, lambda way: Convolved(way(function[sizes.direction]), operands, p, seed, device, axes))
