"""Common parts of the models of nhwc_networks.py in all frameworks; see network_cases.py."""

import contextlib
import functools

import numpy as np

from . import dataset
from .backend import Failed, Operation, Transfer, Unsupported
from .nhwc_networks import make_network

_LOSS_SCALE = 1024.0  # for f16, whose gradients would vanish


def loss_scale(p):
    """The factor of a case's loss, and what `algorithm` says about it: other backends look for infinite gradients, skip
    such steps and adapt the factor."""
    if p["dtype"] != "f16":
        return 1.0, ""
    return _LOSS_SCALE, f", loss times {_LOSS_SCALE:g}, gradients not tested for infinity"


def operations(device, prepare_training, prepare_inference):
    """The operations of a framework. prepare_...(parameters, seed, device) are called only for possible cases."""

    def training_prepared(p, seed):
        if p.get("deterministic", False):
            raise Unsupported("deterministic training is not implemented here; PyTorch and the C++ backends have it")
        images = len(open_data(p["data"])["train"][0])
        if p["batch"] > images:
            raise Failed(f"batch is {p['batch']} and there are {images} images to train on in {p['data']}")
        return prepare_training(p, seed, device)

    return [
        Operation("train", device.training_dtypes, training_prepared),
        Operation("infer", device.inference_dtypes(), lambda p, seed: prepare_inference(p, seed, device)),
    ]


@functools.cache
def open_data(folder):
    """The data set in `folder`, read once per process and shared by all cases."""
    return {split: dataset.read_images(folder, split) for split in ("train", "test")}


def make_optimizer(p, ops):
    """The number of states that the optimiser of a case keeps for each parameter, and update(gradient, states, steps)
    after `steps` steps: what to subtract from the parameter, and the new states."""
    rate = p["learning_rate"]

    def sgd(gradient, states, _steps):
        moved = p["momentum"] * states[0] + gradient
        return rate * moved, [moved]

    def adam(gradient, states, steps):
        first, second, small = 0.9, 0.999, 1e-8
        mean = first * states[0] + (1 - first) * gradient
        square = second * states[1] + (1 - second) * ops.square(gradient)
        unbiased = mean / (1 - first ** (steps + 1))
        root = ops.sqrt(square / (1 - second ** (steps + 1))) + small
        return rate * unbiased / root, [mean, square]

    return {"sgd": (1, sgd), "adam": (2, adam)}[p["optimizer"]]


class Model:
    def __init__(self, p, seed, device):
        if device.has_own_memory and Transfer.of(p).moves:
            raise Unsupported("networks whose data moves are not written for this framework")
        self._data = open_data(p["data"])
        self._network = make_network(p)
        self._seed, self._device, self._batch = seed, device, p["batch"]
        self._last = None  # the latest result
        self.counts = {split: len(images) for split, (images, _) in self._data.items()}
        self.test_labels = self._data["test"][1]

    def wait(self):
        self._device.ready(self._last)

    def copy_inputs_to_device(self):
        pass

    def copy_outputs_to_host(self):
        return False

    def inference_context(self):
        return contextlib.nullcontext()

    def logits_array(self, logits):
        return self._device.get(logits).astype(np.float64)

    def place_order(self, order):
        """Prepares an epoch's order. A batch's rows are an argument of the compiled step, as int32: frameworks convert
        other integers within it."""
        return order.astype(np.int32)

    def rows_of(self, split, rows):
        """Converts rows into an array. A slice may continue at the first row after the last."""
        if not isinstance(rows, slice):
            return rows
        return (np.arange(rows.start, rows.stop) % self.counts[split]).astype(np.int32)

    def test_images(self, dtype):
        """The images of the test set, followed by its first ones, so that every batch is a slice."""
        rows = np.arange(self.counts["test"] + self._batch) % self.counts["test"]
        return self._device.put(self._data["test"][0][rows].astype(dtype))
