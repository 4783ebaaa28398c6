"""What a framework's backend program is held to: the truth that the programs in C++ compute."""

import math
import unittest

from backend_program import BUILD, BackendProgram

# Of one stored result, and of sums of up to a few hundred terms in f32 behind it.
ROUNDOFF = {"f64": 1e-14, "f32": 2e-6, "f16": 2e-3, "bf16": 1.6e-2, "f8e4m3": 1.6e-2, "s8": 0.0}

# Of logits, in units of their root mean square, and of the first losses: what adds up over a few layers.
NETWORK_ERROR = {"f32": 3e-6, "f16": 1e-2, "bf16": 6e-2}
NETWORKS = ("mlp", "lenet", "cnn", "transformer")


class AgainstTheTruth(unittest.TestCase):
    program = None

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
        if case["op"] == "train":  # verify went back to the initial weights
            self.assertEqual(sample["losses"], shown["losses"])
        else:
            self.assertEqual(len(sample["latencies"]), 3)
            self.assertAlmostEqual(sum(sample["latencies"]) / 3, sample["seconds"])
        return ready["algorithm"]

    def check(self, case, cache="warm"):
        """Prepares, verifies against the truth, samples."""
        dtype = case["parameters"]["dtype"]
        if dtype not in self.backend.hello["supports"][case["op"]]:
            return
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
