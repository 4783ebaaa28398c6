"""The same seed gives the same loss curve on every CPU backend: 100 steps on Fashion-MNIST, next to the reference in float64."""

import gzip
import json
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from backend_program import BUILD

FASHION_MNIST = Path("/usr/share/datasets/fashion-mnist")
BATCH = 16
STEPS = 100
# Rounding errors grow from step to step, in the cnn tenfold every 15: at this batch its last 40 steps say nothing.
NETWORKS = {"mlp": 100, "lenet": 100, "transformer": 100, "cnn": 60}


def write_beginning(folder, name, count):
    """The first `count` items of an IDX file of the data set, uncompressed."""
    idx = gzip.decompress((FASHION_MNIST / f"{name}.gz").read_bytes())
    axes = idx[3]
    header = 4 + 4 * axes
    sizes = struct.unpack(f">{axes}I", idx[4:header])
    item = len(idx[header:]) // sizes[0]
    (folder / name).write_bytes(
        idx[:4] + struct.pack(f">{axes}I", count, *sizes[1:]) + idx[header : header + count * item]
    )


class LossCurvesTest(unittest.TestCase):
    def test_agree_with_the_reference(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for split, count in (("train", STEPS * BATCH), ("t10k", BATCH)):
                write_beginning(folder, f"{split}-images-idx3-ubyte", count)
                write_beginning(folder, f"{split}-labels-idx1-ubyte", count)
            training = {"op": "train", "network": list(NETWORKS), "batch": BATCH, "epochs": 1, "dtype": "f32"}
            config = {"measure": {"max_seconds": 0.1}, "workloads": [{**training, "data": name}]}
            (folder / "config.json").write_text(json.dumps(config))
            devices = json.loads(subprocess.check_output([BUILD / "breakeven", "devices", "--json"]))
            backends = [b["name"] for b in devices["backends"] if b["available"] and b["device"] == "cpu"]
            subprocess.run(
                [BUILD / "breakeven", "run", folder / "config.json", "--quiet", "--backends", ",".join(backends),
                 "--out", folder / "result.json"],
                check=True,
            )  # fmt: skip
            result = json.loads((folder / "result.json").read_text())

        curves = {(c["params"]["network"], c["backend"]): c["training"]["loss"] for c in result["cases"]}
        self.assertEqual(len(curves), len(NETWORKS) * len(backends))
        self.assertGreater(len(backends), 1)
        for (network, backend), losses in curves.items():
            truth = curves[network, "reference"]
            self.assertEqual(len(losses), STEPS)
            self.assertLess(sum(truth[-10:]), 0.8 * sum(truth[:10]), f"{network} learns")
            for step in range(NETWORKS[network]):
                self.assertLess(abs(losses[step] / truth[step] - 1), 1e-3, f"{network} by {backend}, step {step}")


if __name__ == "__main__":
    if not FASHION_MNIST.exists():
        sys.exit(77)
    unittest.main()
