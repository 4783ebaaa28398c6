"""Tests that the same seed gives the reference's loss curve on every CPU backend: 100 steps on Fashion-MNIST."""

import sys
import unittest

from backend_program import BUILD, SOURCE

sys.path.insert(0, str(SOURCE / "bench"))
import loss_curves

STEPS = 100
# Rounding errors grow from step to step, faster for networks that learn quickly (docs/performance.md): in the cnn, at
# the others' rate, tenfold every 15 steps.
LEARNING_RATES = {"mlp": 0.01, "lenet": 0.01, "transformer": 0.01, "cnn": 0.001}


class LossCurvesTest(unittest.TestCase):
    def test_agree_with_the_reference(self):
        for network, rate in LEARNING_RATES.items():
            with self.subTest(network=network):
                losses = loss_curves.curves(BUILD, [network], batch=16, steps=STEPS, learning_rate=rate)[network]
                truth = losses.pop("reference")
                self.assertGreater(len(losses), 0)
                self.assertEqual(len(truth), STEPS)
                self.assertLess(sum(truth[-10:]), 0.8 * sum(truth[:10]), "learns")
                for backend, curve in losses.items():
                    self.assertEqual(len(curve), STEPS)
                    self.assertLess(max(loss_curves.differences(curve, truth)), 1e-3, backend)


if __name__ == "__main__":
    if not loss_curves.FASHION_MNIST.exists():
        sys.exit(77)
    unittest.main()
