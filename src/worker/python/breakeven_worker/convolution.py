"""The sizes of a case of conv2d, as in src/workloads/conv2d.h."""

from .random_stream import FIRST_OPERAND, OUTPUT_GRADIENT, SECOND_OPERAND


class Convolution:
    """The source is n x c x h x w, weights k x c/groups x r x s, result n x k x p x q; stride, pad and dilation of rows
    and of columns; direction: "forward", "backward_data" or "backward_weights"."""

    def __init__(self, p):
        self.stride = [p["stride"], p["stride"] if p["stride_w"] == -1 else p["stride_w"]]
        self.pad = [p["pad"], p["pad"] if p["pad_w"] == -1 else p["pad_w"]]
        self.dilation = [p["dilation"], p["dilation"]]
        self.groups = p["groups"]
        self.direction = p["pass"]
        self.source = (p["n"], p["c"], p["h"], p["w"])
        self.weights = (p["k"], p["c"] // p["groups"], p["r"], p["s"])
        spatial = [
            (size + 2 * pad - p["dilation"] * (extent - 1) - 1) // stride + 1
            for size, extent, pad, stride in zip(self.source[2:], self.weights[2:], self.pad, self.stride)
        ]
        self.result = (p["n"], p["k"], *spatial)

    def operands(self):
        """Shape and stream of source, weights and, for the backward passes, gradient. A tensor of which only the shape
        is used has no stream."""
        streams = {
            "forward": (FIRST_OPERAND, SECOND_OPERAND),
            "backward_data": (None, SECOND_OPERAND, OUTPUT_GRADIENT),
            "backward_weights": (FIRST_OPERAND, None, OUTPUT_GRADIENT),
        }[self.direction]
        return zip((self.source, self.weights, self.result), streams)
