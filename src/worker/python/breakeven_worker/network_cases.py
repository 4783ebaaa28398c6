"""From a library's model to the cases `train` and `infer`, as src/network/model_case.h does in C++.

A model has
    train_step(rows)     one step on these rows of the training set (int64 array); answers the mean loss before
                         the update, as anything that float() takes: nobody waits for it while steps are timed
    infer(split, rows)   the logits, batch x 10, of these rows (an array, or a slice) of "train" or "test"
    logits_array(logits) the same as a numpy array of float64
    wait()               returns when all of that is done
    reset()              back to the initial parameters, and all optimiser state to zero
    counts               {"train": images, "test": images}
    test_labels          numpy array
    algorithm            what it is run with
    bring(), fetch()     as those of a Prepared
The test set repeats its first `batch` images behind its last, so that every batch is a slice.
"""

import time

import numpy as np

from . import evidence
from .backend import Epoch, Prepared
from .dataset import CLASSES, epoch_order
from .random_stream import PARAMETERS, RandomStream

FIRST_STEPS = 3  # whose losses are compared with the reference


def initial_values(index, count, scale, seed):
    """Parameter tensor `index` before training, float32: uniform in [-scale, scale)."""
    return RandomStream(seed, PARAMETERS + index).uniform(0, count) * np.float32(scale)


class BatchOrder:
    """The batches of one epoch after the other; what is left over at the end of each is dropped."""

    def __init__(self, count, batch, seed):
        self._count, self._batch, self._seed = count, batch, seed
        self.restart()

    def restart(self):
        self._epoch = 0
        self._used = 0
        self._now = epoch_order(self._count, self._seed, 0)
        self.make_ready()

    def make_ready(self):
        """Shuffles for the next epoch. To be called where nothing is timed."""
        self._next = epoch_order(self._count, self._seed, self._epoch + 1)

    def next(self):
        if self._used + self._batch > self._count:
            self._now = self._next
            self._epoch += 1
            self._used = 0
            self.make_ready()
        first = self._used
        self._used += self._batch
        return self._now[first : self._used]


def _logits_evidence(model, logits, elements, seed):
    values = model.logits_array(logits)
    shape = (len(values), CLASSES, 1)
    return {
        "elements": values.ravel()[elements],
        "projections": evidence.project(lambda first, last: values[first:last], shape, seed),
    }


class Training(Prepared):
    """run() is the next step in the order of the epochs. The first train_epoch() starts from the initial
    parameters, whatever run() did before; the next ones go on from there."""

    def __init__(self, model, batch, seed):
        self._model, self._batch, self._seed = model, batch, seed
        self._order = BatchOrder(model.counts["train"], batch, seed)
        self._losses = []
        self._epochs = None  # done by train_epoch(), where the model is where that left it
        self.algorithm = model.algorithm
        self.wait = model.wait

    def bring(self):
        self._model.bring()

    def fetch(self):
        return self._model.fetch()

    def run(self):
        self._epochs = None
        self._losses.append(self._model.train_step(self._order.next()))

    def show(self, elements):
        self._restart()
        shown = _logits_evidence(self._model, self._model.infer("train", self._order.next()), elements, self._seed)
        self._order.restart()
        shown["losses"] = [self._moved_step() for _ in range(FIRST_STEPS)]
        self._restart()
        return shown

    def _moved_step(self):
        self.bring()
        loss = float(self._model.train_step(self._order.next()))
        self.fetch()
        return loss

    def take_losses(self):
        losses, self._losses = self._losses, []
        return [float(loss) for loss in losses]

    def train_epoch(self):
        if self._epochs is None:
            self._model.reset()
            self._epochs = 0
        rows = epoch_order(self._model.counts["train"], self._seed, self._epochs)
        self._epochs += 1
        steps = len(rows) // self._batch
        start = time.perf_counter()
        losses = [
            self._model.train_step(rows[first : first + self._batch])
            for first in range(0, steps * self._batch, self._batch)
        ]
        self.wait()
        trained = time.perf_counter()
        accuracy = self._accuracy()
        return Epoch(
            seconds=trained - start,
            evaluation_seconds=time.perf_counter() - trained,
            accuracy=accuracy,
            losses=[float(loss) for loss in losses],
        )

    def _accuracy(self):
        """The fraction of the whole test set whose largest logit is that of its label."""
        correct = 0
        labels = self._model.test_labels
        for first in range(0, len(labels), self._batch):
            last = min(first + self._batch, len(labels))
            logits = self._model.logits_array(self._model.infer("test", slice(first, last)))
            correct += int((logits.argmax(axis=1) == labels[first:last]).sum())
        return correct / len(labels)

    def _restart(self):
        self._model.reset()
        self._order.restart()
        self._losses = []
        self._epochs = None


class Inference(Prepared):
    """run() is the next batch of the test set, in its own order, from the front again after the last."""

    measures_latency = True

    def __init__(self, model, batch, seed):
        self._model, self._batch, self._seed = model, batch, seed
        self._count = model.counts["test"]
        self._first = 0
        self.algorithm = model.algorithm
        self.wait = model.wait

    def context(self):
        return self._model.inference_context()

    def bring(self):
        self._model.bring()

    def fetch(self):
        return self._model.fetch()

    def run(self):
        first = self._first
        self._model.infer("test", slice(first, first + self._batch))
        self._first = (first + self._batch) % self._count

    def show(self, elements):
        self._model.bring()
        logits = self._model.infer("test", slice(0, self._batch))
        return _logits_evidence(self._model, logits, elements, self._seed)
