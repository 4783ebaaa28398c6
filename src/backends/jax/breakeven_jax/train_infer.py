"""Training and inference of the small networks.

A training step is one compiled function, as JAX's users write it: from rows of the data set to loss, gradients and
update. The parameters' memory is given to it (donated). An inference is one function, too: a slice of the test set and
the forward pass."""

import functools

import jax
import jax.numpy as jnp
import numpy as np

from breakeven_worker import nhwc_models
from breakeven_worker.network_cases import Inference, Training
from breakeven_worker.nhwc_models import Model, loss_scale, make_optimizer

from .arrays import DTYPES, Ops


def operations(device):
    return nhwc_models.operations(device, _prepare_training, _prepare_inference)


class _Trainer(Model):
    def __init__(self, p, seed, device):
        super().__init__(p, seed, device)
        scale, scaled = loss_scale(p)
        self.algorithm = f"jax.jit of a whole step, {p['optimizer']}{scaled}"
        self._images = {split: self._device.put(images) for split, (images, _) in self._data.items()}
        self._labels = self._device.put(self._data["train"][1].astype(np.int32))
        self._states, update = make_optimizer(p, Ops)
        apply, dtype = functools.partial(self._network.apply, Ops), DTYPES[p["dtype"]]

        def loss_of(parameters, images, labels):
            logits = apply(parameters, images, dtype).astype(jnp.float32)
            chosen = jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], axis=1)
            return -chosen.mean() * scale

        def step(parameters, states, steps, images, labels, rows):
            loss, gradients = jax.value_and_grad(loss_of)(parameters, images[rows], labels[rows])
            gradients = [gradient / scale for gradient in gradients] if scale != 1 else gradients
            changes, states = zip(*(update(g, s, steps) for g, s in zip(gradients, states)))
            return [v - change for v, change in zip(parameters, changes)], list(states), steps + 1, loss / scale

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
        self._last = self._predict(self._parameters, self._images[split], self.rows_of(split, rows))
        return self._last


class _Predictor(Model):
    algorithm = "jax.jit"

    def __init__(self, p, seed, device):
        super().__init__(p, seed, device)
        dtype, apply = DTYPES[p["dtype"]], functools.partial(self._network.apply, Ops)
        self._images = self.test_images(np.dtype(dtype))
        self._parameters = [self._device.put(v.astype(np.dtype(dtype))) for v in self._network.initial(seed)]

        def predict(parameters, images, first):
            return apply(parameters, jax.lax.dynamic_slice_in_dim(images, first, self._batch), dtype)

        self._predict = jax.jit(predict)

    def infer(self, _split, rows):
        self._last = self._predict(self._parameters, self._images, rows.start)
        return self._last


def _prepare_training(p, seed, device):
    model = _Trainer(p, seed, device)
    model.train_step(model.rows_of("train", slice(0, p["batch"])))  # compiles
    model.wait()
    model.reset()
    return Training(model, p["batch"], seed)


def _prepare_inference(p, seed, device):
    model = _Predictor(p, seed, device)
    model.infer("test", slice(0, p["batch"]))
    model.wait()
    return Inference(model, p["batch"], seed)
