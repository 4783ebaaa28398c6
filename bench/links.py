#!/usr/bin/env python3
"""From which batch do two ranks train faster than one, by the link between their hosts?

    bench/links.py FOLDER [--rates full,1gbit,100mbit] [--minutes 6]

The hosts are network namespaces of this machine with a CPU each, and their link is limited by tc's tbf (two_hosts.py; as
root). At each rate FOLDER gets the answer of `breakeven threshold` for the MLP on OpenBLAS, and a result of training on
two ranks at two batches. What is there is not measured again.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from two_hosts import TwoHosts

BUILD = Path(__file__).resolve().parent.parent / "build"
TRAINING = {"op": "train", "network": "mlp", "dtype": "f32"}
BATCHES = [128, 1024]
MEASURE = {"max_seconds": 1}
ONE_RANK = {"backends": ["openblas"], "threads": 1}
QUESTION = {
    "threshold": {
        "parameter": "batch",
        "multiple": 2,
        "baseline": ONE_RANK,
        "challenger": ONE_RANK | {"parameters": {"ranks": 2}},
    },
    "measure": MEASURE,
    "workloads": [TRAINING | {"batch": {"from": 2, "to": 2048, "factor": 4}}],
}
STEPS = {"backends": ["openblas"], "measure": MEASURE, "workloads": [TRAINING | {"batch": BATCHES, "ranks": 2}]}
UNCLEAR = 3  # an exit status of `threshold`


def is_measured(folder, rate):
    return all((folder / f"{name}-{rate}.json").exists() for name in ("steps", "threshold"))


def breakeven(folder, command, config, out, options, statuses):
    """Runs `breakeven COMMAND` unless its result is in FOLDER. A result of any other exit status than those given stays
    in unfinished-*.json."""
    if out.exists():
        return
    path, unfinished = folder / f"{command}.config.json", folder / f"unfinished-{out.name}"
    path.write_text(json.dumps(config))
    environment = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    words = [BUILD / "breakeven", command, path, "--out", unfinished, "--quiet", *options]
    done = subprocess.run([str(word) for word in words], env=environment, check=False)
    if done.returncode not in statuses:
        raise SystemExit(f"{command} ended with {done.returncode}, see {unfinished}")
    if done.returncode == UNCLEAR:
        print(f"{out}: unclear. Remove it, and measure again with more --minutes", file=sys.stderr)
    unfinished.rename(out)


def measure(folder, rates, minutes):
    with tempfile.TemporaryDirectory() as agent, TwoHosts(agent) as hosts:
        for rate in rates:
            hosts.limit(None if rate == "full" else rate)
            options = ["--launcher", hosts.launcher]
            breakeven(folder, "run", STEPS, folder / f"steps-{rate}.json", [*options, "--threads", 1], [0])
            answers = ["--answers", folder / f"answers-{rate}.txt", "--minutes", minutes]
            breakeven(folder, "threshold", QUESTION, folder / f"threshold-{rate}.json", options + answers, [0, UNCLEAR])


def report(folder, rates):
    print("| link |", " | ".join(f"communication at batch {batch}" for batch in BATCHES), "| answer |")
    print("|---|---|---|---|")
    for rate in rates:
        cases = json.loads((folder / f"steps-{rate}.json").read_text())["cases"]
        shares = [f"{case['communication_seconds'] / case['seconds']['median']:.0%}" for case in cases]
        lines = (folder / f"answers-{rate}.txt").read_text().splitlines()
        answer = " ".join(line for line in lines if not line.startswith("warning:"))
        print(f"| {rate} | {' | '.join(shares)} | {answer} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rates", default="full,1gbit,100mbit")
    parser.add_argument("--minutes", type=float, default=6)
    o = parser.parse_args()
    rates = o.rates.split(",")
    folder = o.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    missing = [rate for rate in rates if not is_measured(folder, rate)]
    if missing and not (BUILD / "breakeven").exists():
        raise SystemExit(f"{BUILD}/breakeven is missing: build first")
    try:
        if missing:
            measure(folder, missing, o.minutes)
    except PermissionError as e:
        raise SystemExit(f"cannot make two hosts: {e}") from e
    report(folder, rates)


if __name__ == "__main__":
    main()
