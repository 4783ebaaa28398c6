#!/usr/bin/env python3
"""How much do neighbours slow a case, for what the speed probe saw of them? From the samples in result files.

    bench/neighbour_exponents.py RESULT_FILE...

At a share s of the machine's own speed, a sample takes longer by s to the power of -k. Prints the distribution of k over
cases, and of its difference between two backends of one problem in one file: docs/gate-quality.md.
"""

import itertools
import json
import math
import statistics
import sys
from collections import defaultdict

FEWEST = 8  # samples at the machine's own speed, and as many beside neighbours


def exponent(timing):
    """k of a case, the median over its slow samples; None if it has too few."""
    samples = timing["samples"]
    speeds = timing.get("own_speed") or []
    if len(samples) != len(speeds):
        return None
    known = [(seconds, speed) for seconds, speed in zip(samples, speeds) if speed is not None]
    quiet = [seconds for seconds, speed in known if speed >= 0.95]
    slow = [(seconds, speed) for seconds, speed in known if speed < 0.9]
    if min(len(quiet), len(slow)) < FEWEST:
        return None
    usual = statistics.median(quiet)
    return statistics.median(math.log(seconds / usual) / -math.log(speed) for seconds, speed in slow)


def row(name, values):
    values = sorted(values)
    quantiles = [values[min(len(values) - 1, int(share * len(values)))] for share in (0.5, 0.9, 0.95, 0.99, 1)]
    return f"| {name} | {len(values)} | {' | '.join(f'{q:.2f}' for q in quantiles)} |"


def main(paths):
    exponents = defaultdict(list)  # by file and problem
    for path in paths:
        with open(path) as file:
            document = json.load(file)
        if not document.get("schema", "").startswith("breakeven.result/"):
            continue
        for case in document["cases"]:
            timing = case.get("seconds")
            if timing and timing.get("samples") and (k := exponent(timing)) is not None:
                exponents[path, case["id"]].append(k)
    print("| | number | median | 90 % are below | 95 % | 99 % | largest |\n|---|---|---|---|---|---|---|")
    print(row("*k* of a case", itertools.chain.from_iterable(exponents.values())))
    pairs = itertools.chain.from_iterable(itertools.combinations(of_problem, 2) for of_problem in exponents.values())
    print(row("difference of *k* between two backends of one problem", (abs(a - b) for a, b in pairs)))


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    main(sys.argv[1:])
