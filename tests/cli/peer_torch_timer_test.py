"""Tests that bench/peers/timer measures both sides; skipped without torch."""

import re
import subprocess
import sys
import unittest

from backend_program import BUILD, SOURCE, skip_unless_available, use_python_with

COMMAND = [sys.executable, SOURCE / "bench" / "peers" / "timer", "--build", BUILD, "--threads", "1"]


class TimerTest(unittest.TestCase):
    def timer(self, *options):
        return subprocess.run([*COMMAND, *options], capture_output=True, text=True)

    def test_a_product_is_measured_on_both_sides(self):
        measured = self.timer("--only", "256|convolution", "--rounds", "5", "--seconds", "0.001", "--limit", "100")
        self.assertEqual(measured.returncode, 0, measured.stderr)
        product, convolution = measured.stdout.splitlines()[2:]
        figures = r"\| [\d.]+ \| [\d.]+ \| [\d.]+ \| [\d.]+ \.\.\. [\d.]+ \| 5 \|$"
        self.assertRegex(product, r"^\| product 256 \| torch\.mm " + figures)
        self.assertRegex(convolution, r"^\| convolution .* \| (channels_last|contiguous) " + figures)

    def test_a_ratio_above_the_limit_fails(self):
        measured = self.timer("--only", "256", "--rounds", "5", "--seconds", "0.001", "--limit", "0.01")
        self.assertEqual(measured.returncode, 1, measured.stderr)

    def test_programs_that_are_not_there_are_named(self):
        measured = self.timer("--build", "/nowhere")
        self.assertEqual(measured.returncode, 2)
        self.assertTrue(re.search(r"/nowhere/breakeven-backend-pytorch.*--build", measured.stderr), measured.stderr)


if __name__ == "__main__":
    use_python_with("torch", remedy="scripts/setup-frameworks installs it")
    skip_unless_available(BUILD / "breakeven-backend-pytorch")
    unittest.main()
