#!/usr/bin/env python3
"""How do comparisons of two runs of one build end?

    bench/same_build.py                                                  ten pairs
    bench/same_build.py --pairs 3 --backends openblas --seconds 0.5

Measures a config twice in a row, as docs/comparing.md says (five launches), and compares the two files: a row for each pair,
with the exit status of `compare` and the number of cases by verdict. Nothing changed, so nothing may be incomparable, and
nothing slower. Exit status: 0, or 1 if something was.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LAUNCHES = 5
WORKLOADS = [
    {"op": "matmul", "m": [64, 256], "n": "m", "k": "m", "dtype": "f32"},
    {"op": "conv2d", "n": 4, "c": 16, "h": 28, "w": 28, "k": 16, "r": 3, "s": 3, "pad": 1},
    {"op": "train", "network": "mlp", "batch": 32},
    {"op": "infer", "network": "lenet", "batch": 1},
]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--build", type=Path, default=ROOT / "build", help="the build folder; default: build")
    options.add_argument("--pairs", type=int, default=10)
    options.add_argument("--backends", default="openblas,blis,onednn")
    options.add_argument("--seconds", type=float, default=0.5, help="of sampling, for each case and launch")
    chosen = options.parse_args()
    breakeven = chosen.build.resolve() / "breakeven"
    wrong = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        measure = {"launches": LAUNCHES, "max_seconds": chosen.seconds}
        (folder / "config.json").write_text(json.dumps({"measure": measure, "workloads": WORKLOADS}))
        for pair in range(chosen.pairs):
            for side in ("base", "head"):
                subprocess.run([breakeven, "run", folder / "config.json", "--backends", chosen.backends, "--quiet", "--out", folder / side], check=True)
            done = subprocess.run(
                [breakeven, "compare", folder / "base", folder / "head", "--quiet", "--out", folder / "verdicts"], capture_output=True, text=True
            )
            cases = json.loads((folder / "verdicts").read_text())["cases"]
            verdicts = Counter(case["verdict"] for case in cases)
            wrong += verdicts["incomparable"] + verdicts["slower"] > 0
            counts = ", ".join(f"{count} {verdict}" for verdict, count in verdicts.most_common())
            print(f"pair {pair + 1}: exit status {done.returncode}: {counts}", flush=True)
            for reason in sorted({case["reason"] for case in cases if case["verdict"] in ("incomparable", "slower")}):
                print(f"  {reason}", flush=True)
    print(f"{wrong} of {chosen.pairs} pairs with an incomparable or slower case")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
