"""Tests that a CPU backend computes a case with the number of threads that comes with it, and the next case with those of
hello again."""

import unittest

from backend_program import BUILD, BackendProgram, matmul

PRODUCT = matmul(384, 384, 384)
ELEMENTS = [0, 1000, 384 * 384 - 1]


class ThreadsOfACase(unittest.TestCase):
    def results_with(self, program, **threads):
        ready = program.ask(request="prepare", **PRODUCT, **threads)
        self.assertTrue(ready["ok"], ready)
        return program.ask(request="verify", elements=ELEMENTS)["elements"]

    def test_are_those_of_its_preparation(self):
        for name in ("openblas", "blis", "onednn", "reference"):
            path = BUILD / f"breakeven-backend-{name}"
            if not path.exists():
                continue
            with self.subTest(name):
                program = BackendProgram([path], threads=2)
                self.addCleanup(program.kill)
                self.assertTrue(program.hello["takes_threads"])
                with_two = self.results_with(program)
                for got, wanted in zip(self.results_with(program, threads=1), with_two):
                    self.assertAlmostEqual(got, wanted, delta=1e-3)
                sample = program.ask(request="sample", iterations=20)
                self.assertLess(sample["cpu_seconds"], 1.2 * sample["seconds"], "one thread uses one CPU")
                refused = program.ask(request="prepare", **PRODUCT, threads=3)
                self.assertEqual(refused["reason"], "'threads' is 3, and hello gave 2")
                self.assertEqual(self.results_with(program), with_two)


if __name__ == "__main__":
    unittest.main()
