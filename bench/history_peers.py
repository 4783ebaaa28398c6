#!/usr/bin/env python3
"""Finds `history check` what it should? Its changes beside those of Apache Otava, in the same simulated series.

    python3 -m venv otava && otava/bin/pip install apache-otava==0.8.0
    cmake --build build --target bench-change-points
    otava/bin/python bench/history_peers.py [--series 200]

A series has 20 to 120 runs. In one half a step of known size comes at a known run; the other half has none. A change is found
if it is placed at most 3 runs from the step; everything else that is found is a false alarm. Both drop changes below 3 %.
"""

import argparse
import random
import subprocess
import sys
from pathlib import Path

try:
    from otava.analysis import compute_change_points
except ImportError:
    sys.exit("history_peers: Apache Otava is missing: pip install apache-otava==0.8.0")

BUILD = Path(__file__).resolve().parent.parent / "build"
THRESHOLD, LEVEL = 0.03, 0.01


def normal(generator):
    return 1 + 0.01 * generator.gauss(0, 1)


def outliers(generator):
    """One run in twenty is disturbed by up to 30 %."""
    return normal(generator) * (1 + 0.3 * generator.random() if generator.random() < 0.05 else 1)


def two_speeds(generator):
    """A machine that is 5 % slower in a third of the runs."""
    return normal(generator) * (1.05 if generator.random() < 1 / 3 else 1)


def coarse(generator):
    """A clock with a resolution of 2 %."""
    return round(normal(generator) * 50) / 50


class Correlated:
    """Each run resembles the run before: an autoregressive process of first order."""

    def __init__(self, deviation, correlation):
        self.deviation, self.correlation, self.state = deviation, correlation, 0

    def __call__(self, generator):
        fresh = (1 - self.correlation**2) ** 0.5
        self.state = self.correlation * self.state + fresh * generator.gauss(0, 1)
        return 1 + self.deviation * self.state


NOISE = {
    "normal, 1 %": normal,
    "outliers": outliers,
    "two speeds": two_speeds,
    "coarse clock": coarse,
    "correlation 0.5, 1 %": Correlated(0.01, 0.5),
    "correlation 0.5, 2 %": Correlated(0.02, 0.5),
}
STEPS = [0, 0.03, 0.05, 0.1]
LEVELS_OF_OTAVA = [0.01, 0.001] + [10.0**-exponent for exponent in range(4, 13)]


def make_series(noise, step, generator):
    """The times, and the run at which the step is; None without a step."""
    length = generator.randint(20, 120)
    begin = generator.randint(8, length - 6)
    times = [noise(generator) * (1 + step if i >= begin else 1) for i in range(length)]
    return times, begin if step else None


def found_here(all_series):
    text = "".join(" ".join(f"{time:.9g}" for time in times) + "\n" for times, _ in all_series)
    command = [BUILD / "bench-change-points", str(THRESHOLD), str(LEVEL)]
    printed = subprocess.run(command, input=text, check=True, capture_output=True, text=True).stdout
    return [[int(word) for word in line.split()] for line in printed.splitlines()]


def found_by_otava(all_series, max_pvalue):
    found = []
    for times, _ in all_series:
        points, _weak = compute_change_points(times, window_len=50, max_pvalue=max_pvalue, min_magnitude=THRESHOLD)
        found.append([point.index for point in points])
    return found


def judge(all_series, found):
    """The number of series whose step was found, and the number with a false alarm."""
    hits = alarms = 0
    for (_times, begin), places in zip(all_series, found):
        right = [place for place in places if begin is not None and abs(place - begin) <= 3]
        hits += bool(right)
        alarms += len(places) > min(len(right), 1)
    return hits, alarms


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--series", type=int, default=200, help="of each kind")
    count = parser.parse_args().series
    print(
        "| noise | step | breakeven: found, false alarms | Otava, p 0.001 | Otava, p 0.01 | Otava, as few alarms |\n"
        "|---|---|---|---|---|---|"
    )
    for noise_name, noise in NOISE.items():
        rows = []
        for step in STEPS:
            generator = random.Random(f"{noise_name} {step}")
            all_series = [make_series(noise, step, generator) for _ in range(count)]
            rows.append((step, all_series, judge(all_series, found_here(all_series))))
        at = {p: [judge(one, found_by_otava(one, p)) for _, one, _ in rows] for p in LEVELS_OF_OTAVA}
        alarms = sum(ours[1] for _, _, ours in rows)
        # The largest level with which Otava has no more false alarms in all rows of this noise.
        fair = next((p for p in LEVELS_OF_OTAVA if sum(theirs[1] for theirs in at[p]) <= alarms), LEVELS_OF_OTAVA[-1])
        for i, (step, _, ours) in enumerate(rows):
            cells = ["{}, {}".format(*one) for one in (ours, at[0.001][i], at[0.01][i], at[fair][i])]
            print(f"| {noise_name} | {100 * step:.0f} % | {' | '.join(cells)} (p {fair:g}) |", flush=True)


if __name__ == "__main__":
    main()
