"""Training and inference of the small networks.

A training step is one compiled function, of rows to the data set's images, loss, gradients and update, with the
parameters' memory given to it (donated), as JAX's users write it. Of inference: a slice of the test set and the
forward pass, one function too.
"""

import contextlib
import functools

import jax
import jax.numpy as jnp
import numpy as np

from breakeven_worker import dataset
from breakeven_worker.backend import Failed, Operation, Transfer, Unsupported
from breakeven_worker.computed import check_memory
from breakeven_worker.network_cases import Inference, Training
from breakeven_worker.nhwc_networks import least_memory, make_network

from .arrays import DTYPES, Ops

_LOSS_SCALE = 1024.0  # of f16, whose gradients would vanish


def operations(device):
    inference = [name for name in ("f32", "tf32", "f16", "bf16") if name in device.dtypes]
    return [
        Operation("train", device.training_dtypes, lambda p, seed: _prepare_training(p, seed, device)),
        Operation("infer", inference, lambda p, seed: _prepare_inference(p, seed, device)),
    ]


@functools.cache
def _open_data(folder):
    """The one data set of this process read from `folder`: cases share it."""
    return {split: dataset.read_images(folder, split) for split in ("train", "test")}


class _Model:
    def __init__(self, p, seed, device):
        if device.has_own_memory and Transfer.of(p).moves:
            raise Unsupported("networks whose data moves are not written for JAX here")
        self._data = _open_data(p["data"])
        self._network = make_network(p)
        self._seed, self._device = seed, device
        self._dtype = DTYPES[p["dtype"]]
        self._last = None
        self.counts = {split: len(images) for split, (images, _) in self._data.items()}
        self.test_labels = self._data["test"][1]

    def wait(self):
        self._device.ready(self._last)

    def bring(self):
        pass

    def fetch(self):
        return False

    def inference_context(self):
        return contextlib.nullcontext()

    def logits_array(self, logits):
        return np.asarray(logits).astype(np.float64)


class _Trainer(_Model):
    def __init__(self, p, seed, device):
        super().__init__(p, seed, device)
        self.algorithm = f"jax.jit of a whole step, {p['optimizer']}"
        self._images = {split: self._device.put(images) for split, (images, _) in self._data.items()}
        self._labels = self._device.put(self._data["train"][1].astype(np.int32))
        self._update = {"sgd": _sgd, "adam": _adam}[p["optimizer"]](p)
        self._states = {"sgd": 1, "adam": 2}[p["optimizer"]]
        apply, dtype = functools.partial(self._network.apply, Ops), self._dtype
        scale = _LOSS_SCALE if p["dtype"] == "f16" else 1.0

        def loss_of(parameters, images, labels):
            logits = apply(parameters, images, dtype).astype(jnp.float32)
            chosen = jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], axis=1)
            return -chosen.mean() * scale

        def step(parameters, states, steps, images, labels, rows):
            loss, gradients = jax.value_and_grad(loss_of)(parameters, images[rows], labels[rows])
            gradients = [gradient / scale for gradient in gradients] if scale != 1 else gradients
            updated = [self._update(v, g, s, steps) for v, g, s in zip(parameters, gradients, states)]
            return [v for v, _ in updated], [s for _, s in updated], steps + 1, loss / scale

        self._step = jax.jit(step, donate_argnums=(0, 1, 2))
        self._predict = jax.jit(lambda parameters, images, rows: apply(parameters, images[rows], dtype))
        self.reset()

    def reset(self):
        self._parameters = [self._device.put(values) for values in self._network.initial(self._seed)]
        self._optimizer = [[jnp.zeros_like(v) for _ in range(self._states)] for v in self._parameters]
        self._steps = self._device.put(np.float32(0))

    def train_step(self, rows):
        self._parameters, self._optimizer, self._steps, loss = self._step(
            self._parameters, self._optimizer, self._steps, self._images["train"], self._labels, rows
        )
        self._last = loss
        return loss

    def infer(self, split, rows):
        if isinstance(rows, slice):
            rows = np.arange(rows.start, rows.stop) % self.counts[split]
        self._last = self._predict(self._parameters, self._images[split], rows)
        return self._last


def _sgd(p):
    rate, momentum = p["learning_rate"] or 0.01, p["momentum"]

    def update(value, gradient, states, _steps):
        moved = momentum * states[0] + gradient
        return value - rate * moved, [moved]

    return update


def _adam(p):
    rate, first, second, small = p["learning_rate"] or 0.001, 0.9, 0.999, 1e-8

    def update(value, gradient, states, steps):
        mean = first * states[0] + (1 - first) * gradient
        square = second * states[1] + (1 - second) * jnp.square(gradient)
        unbiased = mean / (1 - first ** (steps + 1))
        root = jnp.sqrt(square / (1 - second ** (steps + 1))) + small
        return value - rate * unbiased / root, [mean, square]

    return update


class _Predictor(_Model):
    algorithm = "jax.jit"

    def __init__(self, p, seed, device):
        super().__init__(p, seed, device)
        batch, count = p["batch"], self.counts["test"]
        rows = np.arange(count + batch) % count
        dtype, apply = self._dtype, functools.partial(self._network.apply, Ops)
        self._images = self._device.put(self._data["test"][0][rows].astype(np.dtype(dtype)))
        self._parameters = [self._device.put(v.astype(np.dtype(dtype))) for v in self._network.initial(seed)]

        def predict(parameters, images, first):
            return apply(parameters, jax.lax.dynamic_slice_in_dim(images, first, batch), dtype)

        self._predict = jax.jit(predict)

    def infer(self, _split, rows):
        self._last = self._predict(self._parameters, self._images, rows.start)
        return self._last


def _prepare_training(p, seed, device):
    images = len(_open_data(p["data"])["train"][0])
    if p["batch"] > images:
        raise Failed(f"batch is {p['batch']} and there are {images} images to train on in {p['data']}")
    check_memory(least_memory(p, parameter_copies=3 + (p["optimizer"] == "adam")), device)
    model = _Trainer(p, seed, device)
    model.train_step(np.arange(p["batch"]))  # compiles
    model.wait()
    model.reset()
    return Training(model, p["batch"], seed)


def _prepare_inference(p, seed, device):
    check_memory(least_memory(p, parameter_copies=1), device)
    model = _Predictor(p, seed, device)
    model.infer("test", slice(0, p["batch"]))
    model.wait()
    return Inference(model, p["batch"], seed)
