"""The requirements on a framework's backend program: the reference results of the programs in C++."""

import math
import pathlib
import unittest

from backend_program import BUILD, FASHION_MNIST, BackendProgram, conv2d, infer, matmul, train

# Tolerances of one stored result, and of sums of up to a few hundred terms in f32 behind it.
ROUNDOFF = {"f64": 1e-14, "f32": 2e-6, "f16": 2e-3, "bf16": 1.6e-2, "f8e4m3": 1.6e-2, "s8": 0.0}

# Tolerances of logits, in units of their root mean square, and of the first losses: errors add up over a few layers.
NETWORK_ERROR = {"f32": 3e-6, "f16": 1e-2, "bf16": 6e-2}
NETWORKS = ("mlp", "lenet", "cnn", "transformer")


class AgainstTheTruth(unittest.TestCase):
    program = None
    supports = {}  # the dtypes of each operation, in any order; others are not tested

    @classmethod
    def setUpClass(cls):
        cls.truth = BackendProgram([BUILD / "breakeven-backend-reference"])

    @classmethod
    def tearDownClass(cls):
        cls.truth.kill()

    def setUp(self):
        self.backend = BackendProgram([BUILD / self.program])

    def tearDown(self):
        self.backend.kill()

    def check_network(self, case):
        ready = self.backend.ask(request="prepare", **case)
        self.assertTrue(ready["ok"], (case, ready))
        elements = list(range(10))
        shown = self.backend.ask(request="verify", elements=elements)
        truth = self.truth.ask(request="expect", elements=elements, **case)
        error = NETWORK_ERROR[case["parameters"]["dtype"]]
        size = math.sqrt(sum(x * x for x in truth["elements"]) / len(elements))
        for part, allowed in (("elements", error * size), ("projections", 4 * error * size), ("losses", error)):
            self.assertEqual(len(shown.get(part, [])), len(truth[part]), part)
            for got, wanted in zip(shown.get(part, []), truth[part]):
                self.assertLessEqual(abs(got - wanted), allowed, part)
        sample = self.backend.ask(request="sample", iterations=3)
        if case["op"] == "train":  # verify restored the initial weights
            self.assertEqual(sample["losses"], shown["losses"])
            again = self.backend.ask(request="verify", elements=elements)
            self.assertEqual(again["losses"], shown["losses"], "sampling leaves the initial weights as they were")
        else:
            self.assertEqual(len(sample["latencies"]), 3)
            self.assertAlmostEqual(sum(sample["latencies"]) / 3, sample["seconds"])
        return ready["algorithm"]

    def check(self, case, cache="warm"):
        """Prepares a case, verifies it with the reference result, and takes a sample."""
        dtype = case["parameters"]["dtype"]
        ready = self.backend.ask(request="prepare", cache=cache, **case)
        self.assertTrue(ready["ok"], (case, ready))
        elements = [0, 1, 7, 29]
        shown = self.backend.ask(request="verify", elements=elements)
        truth = self.truth.ask(request="expect", elements=elements, **case)
        for part in ("elements", "projections"):
            self.assertEqual(len(shown[part]), len(truth[part]), (case, part))
            size = math.sqrt(sum(x * x for x in truth[part]) / len(truth[part]))
            for got, wanted in zip(shown[part], truth[part]):
                self.assertLessEqual(abs(got - wanted), ROUNDOFF[dtype] * size * 4, (case, part))
        sample = self.backend.ask(request="sample", iterations=3)
        self.assertEqual(sample["iterations"], 3)
        self.assertGreater(sample["seconds"], 0)


def network_cases():
    cases = [train(network, 16) for network in NETWORKS] + [train("lenet", 16, optimizer="adam")]
    cases += [train("cnn", 16, "bf16"), train("transformer", 16, "bf16")]
    cases += [infer(network, 3) for network in NETWORKS]
    # LeNet and the transformer have all layers of the others.
    return cases + [infer(network, 3, dtype) for network in ("lenet", "transformer") for dtype in ("f16", "bf16")]


class SameForAll:
    """Tests for every framework that computes on the CPU."""

    def test_supports_what_is_named_here(self):
        said = {op: sorted(dtypes) for op, dtypes in self.backend.hello["supports"].items()}
        self.assertEqual(said, {op: sorted(dtypes) for op, dtypes in self.supports.items()}, self.backend.hello["libraries"])

    def test_refuses_every_other_type(self):
        for op, case in (("matmul", lambda dtype: matmul(8, 8, 8, dtype)), ("conv2d", self.small_convolution)):
            for dtype in set(ROUNDOFF) - set(self.supports[op]):
                with self.subTest(op, dtype=dtype):
                    answer = self.backend.ask(request="prepare", **case(dtype))
                    self.assertEqual((answer["ok"], answer.get("status")), (False, "unsupported"), answer)

    @staticmethod
    def small_convolution(dtype):
        return conv2d(1, 4, 8, 8, 4, 3, 3, "forward", dtype)

    def test_convolutions_of_every_pass_and_type(self):
        for dtype in self.supports["conv2d"]:
            for direction in ("forward", "backward_data", "backward_weights"):
                with self.subTest(dtype, direction=direction):
                    self.check(conv2d(2, 16, 11, 10, 32, 3, 3, direction, dtype, stride=2, pad=1, groups=4))
                    self.check(conv2d(2, 8, 9, 10, 8, 3, 2, direction, dtype, dilation=2))

    @unittest.skipUnless(pathlib.Path(FASHION_MNIST).exists(), "needs dataset-fashion-mnist")
    def test_epochs_start_from_the_initial_weights_and_go_on(self):
        self.backend.ask(request="prepare", **train("mlp", 512, optimizer="adam"))
        losses = self.backend.ask(request="sample", iterations=3)["losses"]
        first, second = (self.backend.ask(request="epoch") for _ in range(2))
        self.assertEqual(len(first["losses"]), 60000 // 512)
        for got, wanted in zip(first["losses"], losses):
            self.assertAlmostEqual(got, wanted, places=5)
        self.assertGreater(first["accuracy"], 0.5)
        self.assertLess(second["losses"][0], first["losses"][0] / 2)
