"""Makes the cases `train` and `infer` from a library's model, as src/network/model_case.h does in C++.

A model has
    place_order(order)   puts the order of an epoch (int64 array) where the model reads it; it is sliced into batches
    train_step(rows)     one step on these rows of the training set (a slice of a placed order); returns the mean
                         loss before the update, as anything that float() accepts: it is not read while steps are
                         timed
    infer(split, rows)   the logits, batch x 10, of these rows (such a slice, or a Python slice) of "train" or "test"
    logits_array(logits) the same as a numpy array of float64
    wait()               returns when all of that is done
    reset()              restores the initial parameters, and sets all optimiser state to zero
    counts               {"train": images, "test": images}
    test_labels          numpy array
    algorithm            how it is computed
    copy_inputs_to_device(), copy_outputs_to_host()     as in Prepared
    take_communication_seconds()  as in Prepared, of a model that several ranks train
Each of several ranks gets its rows of each batch, and the loss is the mean over these.
The test set is followed by its first `batch` images, so that every batch is a slice.
"""

import time

import numpy as np

from . import evidence
from .backend import Epoch, Prepared
from .dataset import CLASSES, DISTINCT_ORDERS, epoch_order
from .ranks import own_ranks
from .random_stream import PARAMETERS, RandomStream

FIRST_STEPS = 3  # steps whose losses are compared with the reference


def initial_values(index, count, scale, seed):
    """Parameter tensor `index` before training, float32: uniform in [-scale, scale)."""
    return RandomStream(seed, PARAMETERS + index).uniform(0, count) * np.float32(scale)


class BatchOrder:
    """The batches of one epoch after another, or the rows `part` of each. An incomplete last batch is dropped.
    place(order) puts an epoch's order where batches are taken from it."""

    def __init__(self, count, batch, seed, place, part=None):
        self._count, self._batch, self._seed, self._place = count, batch, seed, place
        self._part = part or slice(0, batch)
        self._orders = []  # of the first epochs
        self.restart()

    def restart(self):
        self._epoch = 0
        self._used = 0

    def prepare(self, batches):
        """Makes the orders of the next `batches` batches. Must be called outside of timed code."""
        last = self._used // self._batch + batches - 1
        self._make_orders(self._epoch + last // (self._count // self._batch) + 1)

    def next(self):
        """The rows of the next batch. Shuffles only if prepare() was called for fewer batches."""
        if self._used + self._batch > self._count:
            self._epoch += 1
            self._used = 0
        self._make_orders(self._epoch + 1)
        first = self._used
        self._used += self._batch
        return self._orders[self._epoch % DISTINCT_ORDERS][first + self._part.start : first + self._part.stop]

    def _make_orders(self, epochs):
        while len(self._orders) < min(epochs, DISTINCT_ORDERS):
            self._orders.append(self._place(epoch_order(self._count, self._seed, len(self._orders))))


def _logits_evidence(values, elements, seed):
    shape = (len(values), CLASSES, 1)
    return {
        "elements": values.ravel()[elements],
        "projections": evidence.project(lambda first, last: values[first:last], shape, seed),
    }


class _NetworkCase(Prepared):
    def __init__(self, model, batch, seed):
        self._model, self._batch, self._seed = model, batch, seed
        self.algorithm = model.algorithm
        self.copy_inputs_to_device, self.copy_outputs_to_host = model.copy_inputs_to_device, model.copy_outputs_to_host
        self.wait = model.wait


class Training(_NetworkCase):
    """A training case. run() is the next step in the order of the epochs. The first train_epoch() starts from the
    initial parameters, whatever run() did before; the next ones continue from there.

    Of several ranks each trains on its part of each batch, and shows the logits and losses of whole batches."""

    def __init__(self, model, batch, seed, ranks=None):
        super().__init__(model, batch, seed)
        self._ranks = ranks or own_ranks()
        self._part = self._ranks.part_of(batch)
        self._order = BatchOrder(model.counts["train"], batch, seed, model.place_order, self._part)
        self._losses = []
        self._epochs = None  # done by train_epoch(), if the model is in the state after the last of them

    def prepare_runs(self, runs):
        self._order.prepare(runs)

    def run(self):
        self._epochs = None
        self._losses.append(self._model.train_step(self._order.next()))

    def start_together(self):
        self._ranks.wait_for_all()

    def take_communication_seconds(self):
        return self._model.take_communication_seconds() if self._ranks.count > 1 else None

    def show(self, elements):
        self._restart()
        logits = self._of_whole_batch(self._model.logits_array(self._model.infer("train", self._order.next())))
        self._order.restart()
        losses = self._ranks.average([self._moved_step() for _ in range(FIRST_STEPS)])
        self._restart()
        return {**_logits_evidence(logits, elements, self._seed), "losses": losses}

    def _of_whole_batch(self, logits):
        """The logits of all ranks."""
        return logits if self._ranks.count == 1 else np.concatenate(self._ranks.exchange(logits.tolist()))

    def _moved_step(self):
        self.copy_inputs_to_device()
        loss = float(self._model.train_step(self._order.next()))
        self.copy_outputs_to_host()
        return loss

    def take_losses(self):
        losses, self._losses = self._losses, []
        return self._mean_losses(losses)

    def _mean_losses(self, losses):
        return self._ranks.average([float(loss) for loss in losses])

    def train_epoch(self):
        if self._epochs is None:
            self._model.reset()
            self._epochs = 0
        rows = self._model.place_order(epoch_order(self._model.counts["train"], self._seed, self._epochs))
        self._epochs += 1
        steps = len(rows) // self._batch
        part = self._part
        self._ranks.wait_for_all()
        start = time.perf_counter()
        losses = [
            self._model.train_step(rows[first + part.start : first + part.stop])
            for first in range(0, steps * self._batch, self._batch)
        ]
        self.wait()
        trained = time.perf_counter()
        accuracy = self._accuracy()
        return Epoch(
            seconds=trained - start,
            evaluation_seconds=time.perf_counter() - trained,
            accuracy=accuracy,
            losses=self._mean_losses(losses),
        )

    def _accuracy(self):
        """The fraction of all test images whose largest logit is that of their label. Each rank computes its part."""
        correct = 0
        labels = self._model.test_labels
        for batch in range(0, len(labels), self._batch):
            first, last = batch + self._part.start, min(batch + self._part.stop, len(labels))
            if first < last:
                logits = self._model.logits_array(self._model.infer("test", slice(first, last)))
                correct += int((logits.argmax(axis=1) == labels[first:last]).sum())
        return sum(self._ranks.exchange(correct)) / len(labels)

    def _restart(self):
        self._model.reset()
        self._order.restart()
        self._losses = []
        self._epochs = None


class Inference(_NetworkCase):
    """An inference case. run() is the next batch of the test set, in its own order, and starts again after the last."""

    def __init__(self, model, batch, seed):
        super().__init__(model, batch, seed)
        self._count = model.counts["test"]
        self._first = 0

    def context(self):
        return self._model.inference_context()

    def run(self):
        first = self._first
        self._model.infer("test", slice(first, first + self._batch))
        self._first = (first + self._batch) % self._count

    def show(self, elements):
        self.copy_inputs_to_device()
        logits = self._model.logits_array(self._model.infer("test", slice(0, self._batch)))
        return _logits_evidence(logits, elements, self._seed)
