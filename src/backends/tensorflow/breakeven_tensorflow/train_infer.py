"""Training and inference of the small networks.

A training step is one tf.function: from rows of the data set to loss, gradients and update of the variables. An
inference is one function, too: a slice of the test set and the forward pass. Each is tried with XLA and without."""

import functools

import numpy as np
import tensorflow as tf

from breakeven_worker import nhwc_models
from breakeven_worker.network_cases import Inference, Training
from breakeven_worker.nhwc_models import Model, loss_scale, make_optimizer

from .arrays import DTYPES, Ops, fastest_way


def operations(device):
    return nhwc_models.operations(device, _prepare_training, _prepare_inference)


class _Trainer(Model):
    def __init__(self, p, seed, device, way):
        super().__init__(p, seed, device)
        self._images = {split: device.put(images) for split, (images, _) in self._data.items()}
        self._labels = device.put(self._data["train"][1].astype(np.int32))
        self._variables = [tf.Variable(values) for values in self._network.initial(seed)]
        states, update = make_optimizer(p, Ops)
        self._states = [[tf.Variable(tf.zeros_like(v)) for _ in range(states)] for v in self._variables]
        self._steps = tf.Variable(0.0)
        apply, dtype = functools.partial(self._network.apply, Ops), DTYPES[p["dtype"]]
        scale, _ = loss_scale(p)

        def step(rows):
            images, labels = tf.gather(self._images["train"], rows), tf.gather(self._labels, rows)
            with tf.GradientTape() as tape:
                logits = tf.cast(apply(self._variables, images, dtype), tf.float32)
                losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
                loss = tf.reduce_mean(losses) * scale
            gradients = tape.gradient(loss, self._variables)
            gradients = [gradient / scale for gradient in gradients] if scale != 1 else gradients
            for variable, gradient, of_variable in zip(self._variables, gradients, self._states):
                change, updated = update(gradient, of_variable, self._steps)
                variable.assign_sub(change)
                for state, value in zip(of_variable, updated):
                    state.assign(value)
            self._steps.assign_add(1.0)
            return loss / scale

        self._step = way(step)
        self._predict = tf.function(
            lambda images, rows: apply(self._variables, tf.gather(images, rows), dtype), autograph=False
        )
        self._tried = 0
        self.run_and_wait()

    def run_and_wait(self):
        """Trains with other rows each time, as a timed run does."""
        self._tried = (self._tried + 1) % self.counts["train"]
        self.train_step(self.rows_of("train", slice(self._tried, self._tried + self._batch)))
        self.wait()

    def reset(self):
        for variable, values in zip(self._variables, self._network.initial(self._seed)):
            variable.assign(values)
        for variable in sum(self._states, [self._steps]):
            variable.assign(tf.zeros_like(variable))

    def train_step(self, rows):
        return self._step(tf.constant(rows, dtype=tf.int32))

    def infer(self, split, rows):
        return self._predict(self._images[split], tf.constant(self.rows_of(split, rows), dtype=tf.int32))


class _Predictor(Model):
    def __init__(self, p, seed, device, way):
        super().__init__(p, seed, device)
        dtype, apply = DTYPES[p["dtype"]], functools.partial(self._network.apply, Ops)
        self._images = self.test_images(dtype.as_numpy_dtype)
        self._parameters = [device.put(v.astype(dtype.as_numpy_dtype)) for v in self._network.initial(seed)]

        def predict(first):
            # XLA treats the start of a slice as a constant, and would compile again for each batch.
            images = tf.gather(self._images, first + tf.range(self._batch))
            return apply(self._parameters, images, dtype)

        self._predict = way(predict)
        self._tried = 0
        self.run_and_wait()

    def run_and_wait(self):
        """Runs another batch each time, as a timed run does."""
        self._tried = (self._tried + 1) % self.counts["test"]
        self.infer("test", slice(self._tried, self._tried + self._batch))
        self.wait()

    def infer(self, _split, rows):
        return self._predict(tf.constant(rows.start))


def _prepare_training(p, seed, device):
    model = fastest_way(p, lambda way: _Trainer(p, seed, device, way))
    model.algorithm += loss_scale(p)[1]
    model.reset()
    return Training(model, p["batch"], seed)


def _prepare_inference(p, seed, device):
    return Inference(fastest_way(p, lambda way: _Predictor(p, seed, device, way)), p["batch"], seed)
