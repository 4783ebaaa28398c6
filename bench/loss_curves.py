#!/usr/bin/env python3
"""Do networks learn the same on every CPU backend? Loss curves next to the reference backend's in float64: a Markdown table.

    bench/loss_curves.py [--networks mlp,cnn] [--batch 64] [--steps 100] [--learning-rate 0.002]

Trains from the same initial weights on the same batches of Fashion-MNIST, in f32, with SGD and momentum 0.9. The difference
of two curves is the largest |loss / reference - 1| over the steps. Training amplifies differences: one activation that
rounding moves across the bend of a ReLU changes a gradient, and the faster the learning, the faster that grows. PyTorch,
where it is found, shows how far others' f32 comes.
"""

import argparse
import gzip
import json
import struct
import subprocess
import tempfile
from pathlib import Path

from programs import FASHION_MNIST

BUILD = Path(__file__).resolve().parent.parent / "build"
NETWORKS = ["mlp", "lenet", "cnn", "transformer"]


def write_beginning(folder, name, count):
    """The first `count` items of an IDX file of the data set, uncompressed."""
    idx = gzip.decompress(Path(FASHION_MNIST, f"{name}.gz").read_bytes())
    axes = idx[3]
    header = 4 + 4 * axes
    sizes = struct.unpack(f">{axes}I", idx[4:header])
    item = len(idx[header:]) // sizes[0]
    (folder / name).write_bytes(
        idx[:4] + struct.pack(f">{axes}I", count, *sizes[1:]) + idx[header : header + count * item]
    )


def curves(build, networks, batch, steps, learning_rate=0, without=()):
    """The loss of every step before its update, for every CPU backend that trains, `without` some:
    {network: {backend: [loss]}}.

    A learning rate of 0 selects the optimiser's default."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for split, count in (("train", steps * batch), ("t10k", batch)):
            write_beginning(folder, f"{split}-images-idx3-ubyte", count)
            write_beginning(folder, f"{split}-labels-idx1-ubyte", count)
        training = {"op": "train", "network": networks, "batch": batch, "epochs": 1, "dtype": "f32", "learning_rate": learning_rate}
        config = {"measure": {"max_seconds": 0.1}, "workloads": [{**training, "data": name}]}
        (folder / "config.json").write_text(json.dumps(config))
        devices = json.loads(subprocess.check_output([build / "breakeven", "devices", "--json"]))
        backends = [b["name"] for b in devices["backends"]
                    if b["available"] and b["device"] == "cpu" and "train" in b["supports"] and b["name"] not in without]  # fmt: skip
        subprocess.run(
            [build / "breakeven", "run", folder / "config.json", "--quiet", "--backends", ",".join(backends),
             "--out", folder / "result.json"],
            check=True,
        )  # fmt: skip
        result = json.loads((folder / "result.json").read_text())
    found = {}
    for case in result["cases"]:
        found.setdefault(case["params"]["network"], {})[case["backend"]] = case["training"]["loss"]
    return found


def differences(losses, truth):
    """|loss / reference - 1| of every step."""
    return [abs(mine / right - 1) for mine, right in zip(losses, truth)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=BUILD, help="build folder (default: build)")
    parser.add_argument("--networks", type=lambda text: text.split(","), default=NETWORKS, help=",".join(NETWORKS))
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--learning-rate", type=float, default=0, help="default: the optimiser's own, 0.01")
    arguments = parser.parse_args()
    print("| network | backend | loss, first and last step | largest difference | at step | after half the steps |")
    print("|---|---|---|---|---|---|")
    found = curves(
        arguments.build.resolve(), arguments.networks, arguments.batch, arguments.steps, arguments.learning_rate
    )
    for network, losses in found.items():
        truth = losses.pop("reference")
        for backend, curve in losses.items():
            apart = differences(curve, truth)
            print(
                f"| {network} | {backend} | {curve[0]:.3f} ... {curve[-1]:.3f} | {max(apart):.1g} "
                f"| {apart.index(max(apart)) + 1} | {max(apart[: len(apart) // 2]):.1g} |"
            )


if __name__ == "__main__":
    main()
