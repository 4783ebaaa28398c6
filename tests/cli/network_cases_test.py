"""Tests that training in Python workers uses the same batches as the programs in C++, and times only steps. Settings of
a library are raced, and one that fails is only left out."""

import math
import time
import unittest
from unittest import mock

from backend_program import use_python_with_numpy

use_python_with_numpy()

import numpy as np  # noqa: E402

from breakeven_worker import network_cases, nhwc_models, serve  # noqa: E402
from breakeven_worker.backend import Backend, Failed, Operation, Prepared, Transfer, Unsupported  # noqa: E402
from breakeven_worker.cudnn import version_text  # noqa: E402
from breakeven_worker.dataset import DISTINCT_ORDERS, epoch_order  # noqa: E402
from breakeven_worker.random_stream import BATCH_ORDER, RandomStream  # noqa: E402
from breakeven_worker.ranks import Alone  # noqa: E402
from breakeven_worker.timing import fastest, may_race, take_sample, with_others  # noqa: E402

IMAGES, BATCH, SEED = 50, 16, 3


class Model:
    """Records its calls."""

    algorithm = "none"
    counts = {"train": IMAGES, "test": IMAGES}

    def __init__(self):
        self.log = []

    def place_order(self, order):
        self.log.append("order")
        return order

    def train_step(self, rows):
        self.log.append(rows.tolist())
        return 0.0

    def infer(self, split, rows):
        self.log.append(rows if split == "test" else rows.tolist())
        return rows

    def logits_array(self, rows):
        count = rows.stop - rows.start if isinstance(rows, slice) else len(rows)
        return np.tile(np.arange(10.0), (count, 1))

    def reset(self):
        self.log.append("reset")

    def wait(self):
        pass

    def copy_inputs_to_device(self):
        pass

    def copy_outputs_to_host(self):
        return False


class Orders(unittest.TestCase):
    def training(self):
        self.model = Model()
        return network_cases.Training(self.model, BATCH, SEED)

    def test_rows_are_sorted_by_their_numbers(self):
        for count in (1, 7, 60_000):
            numbers = RandomStream(SEED, BATCH_ORDER + 2).bits(0, count)
            order = epoch_order(count, SEED, 2)
            self.assertEqual(sorted(order.tolist()), list(range(count)))
            self.assertTrue((np.diff(numbers[order].astype(object)) > 0).all())

    def test_no_order_is_made_while_steps_are_timed(self):
        training = self.training()
        for iterations, transfer in ((1, Transfer()), (40, Transfer()), (5, Transfer("once", 7))):
            self.model.log.clear()
            with mock.patch.object(network_cases, "epoch_order", wraps=epoch_order) as make:
                sample = take_sample(training, iterations, transfer, cold=False, on_host=False)
            self.assertEqual(sample["iterations"], iterations)
            first = next(at for at, what in enumerate(self.model.log) if what != "order")
            self.assertEqual(make.call_count, first, "orders that are made before the first step")
            self.assertNotIn("order", self.model.log[first:])
            untimed = math.ceil(iterations / 10)  # before the clock starts
            self.assertEqual(len(self.model.log) - first, (untimed + iterations) * transfer.repetitions)
        self.assertEqual(self.model.log[-1], epoch_order(IMAGES, SEED, 29)[:BATCH].tolist())  # step 87, of 3 an epoch

    def test_later_epochs_repeat_the_orders(self):
        training = self.training()
        training.prepare_runs(10**6)
        self.assertEqual(self.model.log, ["order"] * DISTINCT_ORDERS)
        for _ in range(3 * (DISTINCT_ORDERS + 1)):
            training.run()
        training.run()
        self.assertEqual(self.model.log[-1], epoch_order(IMAGES, SEED, 1)[:BATCH].tolist())


class FakeRanks(Alone):
    """One of two ranks, of which the other says the same."""

    def __init__(self, number):
        self.number, self.count = number, 2

    def exchange(self, value):
        return [value, value]


class SharedBatches(unittest.TestCase):
    def test_each_rank_trains_on_its_part(self):
        order = epoch_order(IMAGES, SEED, 0)
        for rank, rows in ((0, slice(0, 8)), (1, slice(8, 16))):
            model = Model()
            training = network_cases.Training(model, BATCH, SEED, FakeRanks(rank))
            training.prepare_runs(2)
            training.run()
            training.run()
            batches = [order[:BATCH][rows].tolist(), order[BATCH : 2 * BATCH][rows].tolist()]
            self.assertEqual(model.log, ["order", *batches])
            self.assertEqual(training.take_losses(), [0.0, 0.0])
            model.log.clear()
            shown = training.show([0, 159])
            self.assertEqual(model.log[:2], ["reset", batches[0]])
            self.assertEqual(shown["elements"].tolist(), [0.0, 9.0])
            self.assertEqual((shown["losses"], len(shown)), ([0.0] * 3, 3))

    def test_each_rank_evaluates_its_part(self):
        for rank, rows in ((0, [(0, 8), (16, 24), (32, 40), (48, 50)]), (1, [(8, 16), (24, 32), (40, 48)])):
            model = Model()
            model.test_labels = np.full(IMAGES, 9)
            epoch = network_cases.Training(model, BATCH, SEED, FakeRanks(rank)).train_epoch()
            evaluated = [(what.start, what.stop) for what in model.log if isinstance(what, slice)]
            self.assertEqual(evaluated, rows)
            self.assertEqual(epoch.accuracy, 2 * sum(last - first for first, last in rows) / IMAGES)
            self.assertEqual(epoch.losses, [0.0] * 3)


class Race(unittest.TestCase):
    def race(self, candidates, **limits):
        with mock.patch("sys.stderr"):
            return fastest(candidates, lambda: None, budget=0.01, **limits)

    def test_one_that_throws_is_dropped(self):
        def refuse():
            raise RuntimeError("no such kernel")

        calls = []

        def break_later():
            calls.append(1)
            if len(calls) > 1:
                raise RuntimeError("the second step fails")

        candidates = {"refuses": refuse, "breaks": break_later, "works": lambda: time.sleep(0.001)}
        chosen, seconds = self.race(candidates)
        self.assertEqual((chosen, seconds["refuses"], seconds["breaks"]), ("works", math.inf, math.inf))
        self.assertEqual(with_others(chosen, seconds), "works, refuses failed, breaks failed")
        with self.assertRaisesRegex(RuntimeError, "no such kernel"):
            self.race({"refuses": refuse})

    def test_the_fastest_is_chosen_and_the_others_are_compared(self):
        chosen, seconds = self.race({"slow": lambda: time.sleep(0.01), "fast": lambda: time.sleep(0.001)})
        self.assertEqual(chosen, "fast")
        self.assertRegex(with_others(chosen, seconds), r"^fast, slow took \d[.\d]*x$")

    def test_all_ranks_choose_alike(self):
        calls = {"a": 0, "b": 0}

        def count(name):
            calls[name] += 1

        # What another rank says: the seconds of a, whether b is too late, those of b, and twice of a, b, and the race.
        said = iter([3.0, 0.0, 2.0, 4.0, 1.5, 0.0, 5.0, 3.0, 1.0])
        race = {name: lambda name=name: count(name) for name in calls}
        chosen, seconds = self.race(race, agree=lambda own: next(said))
        self.assertEqual((chosen, seconds), ("b", {"a": 3.0, "b": 1.5}))
        self.assertEqual(calls, {"a": 3, "b": 3})

    def test_first_calls_that_take_too_long_end_the_race(self):
        chosen, seconds = self.race({"compiles": lambda: time.sleep(0.02), "is late": self.fail}, patience=0.01)
        self.assertEqual(with_others(chosen, seconds), "compiles, is late not tried")

    def test_a_case_may_forbid_it(self):
        for allowed in ({}, {"tuned": True, "deterministic": False}):
            self.assertTrue(may_race(allowed))
        for forbidden in ({"tuned": False}, {"deterministic": True}):
            self.assertFalse(may_race(forbidden))


class NhwcOperations(unittest.TestCase):
    """Of JAX and TensorFlow: what is refused before a framework is asked."""

    def train(self, **more):
        device = mock.Mock(training_dtypes=["f32"])
        operations = nhwc_models.operations(device, lambda *arguments: arguments, self.fail)
        with mock.patch.object(nhwc_models, "open_data", return_value={"train": (range(IMAGES), None)}):
            return operations[0].prepare({"batch": IMAGES, "data": "folder", **more}, SEED)

    def test_deterministic_training_is_unsupported(self):
        with self.assertRaisesRegex(Unsupported, "deterministic training is not implemented here"):
            self.train(deterministic=True)
        parameters, seed, _ = self.train(deterministic=False)
        self.assertEqual((parameters["batch"], seed), (IMAGES, SEED))

    def test_a_batch_is_no_larger_than_the_training_set(self):
        with self.assertRaisesRegex(Failed, f"batch is {IMAGES + 1} and there are {IMAGES} images to train on in folder"):
            self.train(batch=IMAGES + 1)


class Release(unittest.TestCase):
    def test_the_library_gives_back_what_it_keeps(self):
        released = []
        operation = Operation("matmul", ["f32"], lambda parameters, seed: Prepared())
        made = Backend("b", "1", operations=[operation], release=lambda: released.append(worker._prepared))
        worker = serve._Worker(lambda threads: made)
        worker.answer({"request": "hello", "protocol": serve.PROTOCOL, "threads": 1})
        worker.answer({"request": "prepare", "op": "matmul", "parameters": {"dtype": "f32"}, "seed": 1})
        released.clear()
        worker.answer({"request": "release"})
        self.assertEqual(released, [None])
        with mock.patch("gc.collect") as collect, self.assertRaises(Unsupported):
            worker.answer({"request": "prepare", "op": "matmul", "parameters": {"dtype": "f64"}, "seed": 1})
        worker.release()
        self.assertEqual((released, collect.call_count), ([None], 0), "nothing is left of a case that was not begun")


class CudnnVersion(unittest.TestCase):
    def test_versions_before_and_after_the_change_of_numbering(self):
        self.assertEqual([version_text(number) for number in (91900, 90101, 8907)], ["9.19.0", "9.1.1", "8.9.7"])


if __name__ == "__main__":
    unittest.main()
