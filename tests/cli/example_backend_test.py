"""Tests that docs/example-backend.py and .c are working backends, and that docs/adding-a-backend.md quotes the first
exactly."""

import json
import math
import os
import shutil
import subprocess
import sys
import unittest
from unittest import mock

from backend_program import BUILD, SOURCE, BackendProgram, conv2d, expect_refusals, folder_until, matmul

EXAMPLE = SOURCE / "docs" / "example-backend.py"
EXAMPLE_IN_C = SOURCE / "docs" / "example-backend.c"


class ExampleBackendTest(unittest.TestCase):
    def setUp(self):
        self.example = BackendProgram([sys.executable, EXAMPLE])

    def tearDown(self):
        self.example.kill()

    def test_computes_what_the_reference_does(self):
        truth = BackendProgram([BUILD / "breakeven-backend-reference"])
        self.addCleanup(truth.kill)
        for dtype, error in (("f32", 1e-6), ("f64", 1e-14)):
            case = matmul(5, 7, 11, dtype, seed=2**64 - 1)
            elements = list(range(35))
            self.assertTrue(self.example.ask(request="prepare", cache="warm", **case)["ok"])
            shown = self.example.ask(request="verify", elements=elements)["elements"]
            wanted = truth.ask(request="expect", elements=elements, **case)["elements"]
            for got, true in zip(shown, wanted, strict=True):
                self.assertLessEqual(abs(got - true), error * math.sqrt(11))

    def test_samples(self):
        self.example.ask(request="prepare", **matmul(3, 3, 3))
        sample = self.example.ask(request="sample", iterations=4)
        self.assertEqual((sample["ok"], sample["iterations"]), (True, 4))
        self.assertGreater(sample["seconds"], 0)
        self.assertEqual(self.example.ask(request="release"), {"ok": True})
        self.assertEqual(self.example.quit(), 0)

    def test_refuses_and_goes_on(self):
        refusals = [
            ("rubbish", "failed"),
            ({"request": "dance"}, "failed"),
            ({"request": "verify", "elements": [0]}, "failed"),
            ({"request": "epoch"}, "failed"),
            ({"request": "prepare", **matmul(1 << 20, 1 << 20, 2)}, "out_of_memory"),
            ({"request": "prepare", **matmul(2, 2, 2, batch=2)}, "unsupported"),
            ({"request": "prepare", **conv2d(1, 1, 3, 3, 1, 3, 3, "forward")}, "unsupported"),
            ({"request": "hello", "protocol": 2, "threads": 1}, "failed"),
        ]
        expect_refusals(self, self.example, refusals)
        self.assertTrue(self.example.ask(request="prepare", **matmul(2, 2, 2))["ok"])

    def test_what_knows_nothing_of_transfers_is_not_asked_for_one(self):
        # It would time a case as if it had moved the data.
        folder = folder_until(self.addCleanup)
        (folder / "breakeven-backend-example").symlink_to(EXAMPLE)
        config = {"backends": ["example"], "workloads": [{"op": "matmul", "m": 2, "n": 2, "k": 2, "transfer": "each"}]}
        (folder / "config.json").write_text(json.dumps(config))
        ran = subprocess.run(
            [BUILD / "breakeven", "run", folder / "config.json", "--out", "-"],
            env={**os.environ, "BREAKEVEN_BACKENDS": str(folder)},
            capture_output=True,
            text=True,
        )
        case = json.loads(ran.stdout)["cases"][0]
        self.assertEqual((case["status"], ran.returncode), ("unsupported", 0))
        self.assertIn("transfer is each", case["reason"])

    def test_is_short_and_quoted_exactly(self):
        text = EXAMPLE.read_text()
        self.assertLess(len(text.splitlines()), 60)
        self.assertIn(f"```python\n{text}```\n", (SOURCE / "docs" / "adding-a-backend.md").read_text())

    def test_the_generator_in_the_protocol_makes_the_same_inputs(self):
        names = {}
        text = (SOURCE / "docs" / "inputs-and-verification.md").read_text()
        exec(text.split("```python\n")[1].split("```")[0], names)
        product = names["uniform"](5, 0, 0) * names["uniform"](5, 1, 0)
        self.example.ask(request="prepare", **matmul(1, 1, 1, "f64", seed=5))
        self.assertEqual(self.example.ask(request="verify", elements=[0])["elements"], [product])


@unittest.skipUnless(shutil.which("cc"), "no C compiler")
class ExampleInCTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.program = folder_until(cls.addClassCleanup) / "breakeven-backend-example-c"
        warnings = ["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]
        subprocess.run(["cc", "-O2", *warnings, "-o", cls.program, EXAMPLE_IN_C], check=True)

    def run_driver(self, *arguments, **variables):
        environment = {**os.environ, "BREAKEVEN_BACKENDS": str(self.program.parent), **variables}
        return subprocess.run([BUILD / "breakeven", *arguments], env=environment, capture_output=True, text=True)

    def test_is_short(self):
        self.assertLess(len(EXAMPLE_IN_C.read_text().splitlines()), 60)

    def test_its_header_is_cxx_too(self):
        header = EXAMPLE_IN_C.with_name("breakeven-backend.h")
        command = ["c++", "-std=c++20", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", "-x", "c++", header]
        subprocess.run(command, check=True)

    def test_an_element_that_is_not_computed_is_null(self):
        source = EXAMPLE_IN_C.read_text().replace("i < m; ++i)\n    for", "i < m - 1; ++i)\n    for", 1)
        folder = self.program.parent / "forgetful"
        folder.mkdir()
        (folder / "forgetful.c").write_text(source)
        command = ["cc", "-I", EXAMPLE_IN_C.parent, "-o", folder / "forgetful", folder / "forgetful.c"]
        subprocess.run(command, check=True)
        example = BackendProgram([folder / "forgetful"])
        self.addCleanup(example.kill)
        self.assertTrue(example.ask(request="prepare", **matmul(2, 2, 2))["ok"])
        first, last = example.ask(request="verify", elements=[0, 3])["elements"]
        self.assertIsInstance(first, float)
        self.assertIsNone(last)

    def test_conforms(self):
        done = self.run_driver("conformance", self.program)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn(" 0 failed", done.stdout)
        self.assertGreaterEqual(int(done.stdout.split(" passed")[0].split()[-1]), 10)

    def test_is_measured_like_any_other(self):
        config = {"backends": ["example-c"], "workloads": [{"op": "matmul", "m": 17, "n": 5, "k": 33}]}
        path = self.program.parent / "config.json"
        path.write_text(json.dumps(config))
        done = self.run_driver("run", path, "--out", "-", "--seconds", "0.1")
        (case,) = json.loads(done.stdout)["cases"]
        self.assertEqual((done.returncode, case["status"]), (0, "ok"), case["reason"] if "reason" in case else done.stderr)

    def test_is_twice_as_slow_with_as_much_work_besides(self):
        """The driver injects it: the program knows nothing of it."""
        config = self.program.parent / "gate.json"
        config.write_text(json.dumps({"backends": ["example-c"], "workloads": [{"op": "matmul", "m": 64, "n": 64, "k": 64}]}))
        sides = ["--base", self.program.parent, "--head", self.program.parent, "--head-env", "BREAKEVEN_EXTRA_WORK=1"]
        done = self.run_driver("gate", config, *sides, "--minutes", "0.2", "--quiet", "--out", "-")
        (case,) = json.loads(done.stdout)["cases"]
        self.assertTrue(1.5 < case["ratio"]["value"] < 2.7, case["ratio"])

    def test_refuses_and_goes_on(self):
        example = BackendProgram([self.program])
        self.addCleanup(example.kill)
        refusals = [
            ("rubbish", "failed"),
            ({"request": "dance"}, "failed"),
            ({"request": "verify", "elements": [0]}, "failed"),
            ({"request": "prepare", **matmul(1 << 20, 1 << 20, 2)}, "out_of_memory"),
            ({"request": "prepare", **matmul(2, 2, 2, batch=2)}, "unsupported"),
            ({"request": "prepare", **matmul(2, 2, 2, transpose_b=True)}, "unsupported"),
            ({"request": "hello", "protocol": 2, "threads": 1}, "failed"),
        ]
        expect_refusals(self, example, refusals)
        self.assertTrue(example.ask(request="prepare", **matmul(2, 2, 2))["ok"])
        self.assertEqual(len(example.ask(request="verify", elements=[3, 0])["elements"]), 2)
        self.assertEqual(example.quit(), 0)


if __name__ == "__main__":
    unittest.main()
