"""Tests that the same seed gives the reference's loss curve on every CPU backend: 100 steps on Fashion-MNIST."""

import os
import unittest

from backend_program import BUILD, FASHION_MNIST, skip

import loss_curves  # in bench/, which backend_program adds to the path

STEPS = 100
# Rounding errors grow from step to step, faster for networks that learn quickly (docs/performance.md): in the
# cnn, at the others' rate, tenfold every 15 steps.
LEARNING_RATES = {0.01: ["mlp", "lenet", "transformer"], 0.001: ["cnn"]}


class LossCurvesTest(unittest.TestCase):
    def test_agree_with_the_reference(self):
        for rate, networks in LEARNING_RATES.items():
            # Compiling takes as long as all others, and peer_pytorch_test checks what is compiled.
            without = ["pytorch-compiled"]
            curves = loss_curves.curves(BUILD, networks, batch=8, steps=STEPS, learning_rate=rate, without=without)
            self.assertEqual(set(curves), set(networks))
            for network, losses in curves.items():
                with self.subTest(network=network):
                    truth = losses.pop("reference")
                    self.assertGreater(len(losses), 0)
                    self.assertEqual(len(truth), STEPS)
                    self.assertLess(sum(truth[-10:]), 0.8 * sum(truth[:10]), "learns")
                    for backend, curve in losses.items():
                        self.assertEqual(len(curve), STEPS)
                        apart = loss_curves.differences(curve, truth)
                        self.assertLess(max(apart[: STEPS // 2]), 1e-3, backend)
                        # One activation that rounding moves across the bend of a ReLU is enough for the rest: PyTorch and
                        # JAX leave the reference's curve of the lenet at the same step, by the same 1.8 % at the end.
                        self.assertLess(max(apart), 0.1, backend)


if __name__ == "__main__":
    if not os.path.exists(FASHION_MNIST):
        skip("needs dataset-fashion-mnist")
    unittest.main()
