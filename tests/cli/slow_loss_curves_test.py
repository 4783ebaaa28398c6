"""The same seed gives the same loss curve on every CPU backend: 100 steps on Fashion-MNIST, next to the reference in float64."""

import sys
import unittest

from backend_program import BUILD, SOURCE

sys.path.insert(0, str(SOURCE / "bench"))
import loss_curves

STEPS = 100
# Rounding errors grow from step to step, in the cnn tenfold every 15: at this batch its last 40 steps say nothing.
COMPARED = {"mlp": 100, "lenet": 100, "transformer": 100, "cnn": 60}


class LossCurvesTest(unittest.TestCase):
    def test_agree_with_the_reference(self):
        curves = loss_curves.curves(BUILD, list(COMPARED), batch=16, steps=STEPS)
        self.assertEqual(list(curves), list(COMPARED))
        for network, losses in curves.items():
            truth = losses.pop("reference")
            self.assertGreater(len(losses), 0)
            self.assertEqual(len(truth), STEPS)
            self.assertLess(sum(truth[-10:]), 0.8 * sum(truth[:10]), f"{network} learns")
            for backend, curve in losses.items():
                self.assertEqual(len(curve), STEPS)
                apart = loss_curves.differences(curve, truth)
                self.assertLess(max(apart[: COMPARED[network]]), 1e-3, f"{network} by {backend}")


if __name__ == "__main__":
    if not loss_curves.FASHION_MNIST.exists():
        sys.exit(77)
    unittest.main()
