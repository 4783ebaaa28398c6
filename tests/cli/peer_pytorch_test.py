"""The PyTorch backend against the truth that the programs in C++ compute; skipped where torch is missing."""

import json
import math
import unittest

from backend_program import BUILD, BackendProgram, conv2d, matmul, skip

# Of one stored result, and of sums of up to a few hundred terms in f32 behind it.
ROUNDOFF = {"f64": 1e-14, "f32": 2e-6, "f16": 2e-3, "bf16": 1.6e-2, "f8e4m3": 1.6e-2, "s8": 0.0}


def truth_program():
    """Any program in C++ computes the truth; the reference is the one that is always built."""
    for name in ("reference", "openblas"):
        program = BUILD / f"breakeven-backend-{name}"
        if program.exists():
            return BackendProgram([program])
    skip(f"no program that computes the truth in {BUILD}")


class PytorchTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.truth = truth_program()

    @classmethod
    def tearDownClass(cls):
        cls.truth.kill()

    def setUp(self):
        self.torch = BackendProgram([BUILD / "breakeven-backend-pytorch"])

    def tearDown(self):
        self.torch.kill()

    def check(self, case, cache="warm"):
        """Prepares, verifies against the truth, samples."""
        dtype = case["parameters"]["dtype"]
        if dtype not in self.torch.hello["supports"][case["op"]]:
            return
        ready = self.torch.ask(request="prepare", cache=cache, **case)
        self.assertTrue(ready["ok"], (case, ready))
        elements = [0, 1, 7, 29]
        shown = self.torch.ask(request="verify", elements=elements)
        truth = self.truth.ask(request="expect", elements=elements, **case)
        for part in ("elements", "projections"):
            self.assertEqual(len(shown[part]), len(truth[part]), (case, part))
            size = math.sqrt(sum(x * x for x in truth[part]) / len(truth[part]))
            for got, wanted in zip(shown[part], truth[part]):
                self.assertLessEqual(abs(got - wanted), ROUNDOFF[dtype] * size * 4, (case, part))
        sample = self.torch.ask(request="sample", iterations=3)
        self.assertEqual(sample["iterations"], 3)
        self.assertGreater(sample["seconds"], 0)

    def test_products_of_every_type_and_layout(self):
        for dtype in ROUNDOFF:
            with self.subTest(dtype):
                self.check(matmul(48, 32, 64, dtype))
                self.check(matmul(32, 48, 16, dtype, transpose_a=True, transpose_b=True))
        self.check(matmul(7, 5, 3, batch=4, transpose_b=True))
        self.check(matmul(600, 3, 2, seed=9), cache="cold")

    def test_convolutions_of_every_pass_and_type(self):
        for dtype in ("f64", "f32", "f16", "bf16"):
            for direction in ("forward", "backward_data", "backward_weights"):
                with self.subTest(dtype, direction=direction):
                    self.check(conv2d(2, 16, 11, 10, 32, 3, 3, direction, dtype, stride=2, pad=1, groups=4))
                    self.check(conv2d(2, 8, 9, 10, 8, 3, 2, direction, dtype, dilation=2))

    def test_says_what_it_computes_with(self):
        hello = self.torch.hello
        self.assertEqual((hello["name"], hello["role"], hello["device"]), ("pytorch", "contender", "cpu"))
        self.assertIn("torch", hello["libraries"])
        self.torch.ask(request="prepare", **conv2d(1, 4, 8, 8, 4, 3, 3, "forward"))
        self.assertIn("channels_last", self.torch.ask(request="prepare", **conv2d(1, 4, 8, 8, 4, 3, 3, "forward"))["algorithm"])

    def test_refuses_and_goes_on(self):
        for line, status in [
            ('{"request": "prep', "failed"),
            ("[1]", "failed"),
            ('{"request": "dance"}', "failed"),
            ('{"request": "verify", "elements": [0]}', "failed"),
            ('{"request": "sample", "iterations": 1}', "failed"),
            (json.dumps({"request": "prepare", **matmul(1 << 20, 1 << 20, 1 << 20)}), "out_of_memory"),
            (json.dumps({"request": "prepare", **matmul(8, 8, 8, "tf32")}), "unsupported"),
            (json.dumps({"request": "prepare", **matmul(8, 8, 8, "s8", batch=2)}), "unsupported"),
            (json.dumps({"request": "expect", "elements": [0], **matmul(8, 8, 8)}), "unsupported"),
        ]:
            answer = self.torch.send(line)
            self.assertEqual((answer["ok"], answer.get("status")), (False, status), (line, answer))
            self.assertTrue(answer["reason"])
        self.check(matmul(8, 8, 8))
        self.assertTrue(self.torch.ask(request="release")["ok"])
        self.assertFalse(self.torch.ask(request="sample", iterations=1)["ok"])
        self.assertEqual(self.torch.quit(), 0)

    def test_refuses_another_protocol(self):
        other = BackendProgram([BUILD / "breakeven-backend-pytorch"], protocol=99)
        self.assertFalse(other.hello["ok"])
        self.assertIn("99", other.hello["reason"])
        other.kill()


if __name__ == "__main__":
    try:
        BackendProgram([BUILD / "breakeven-backend-pytorch"]).kill()
    except RuntimeError as missing:
        skip(missing)
    unittest.main()
