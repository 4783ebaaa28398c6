#!/usr/bin/env python3
"""Do runs of one config agree? Runs it many times, and compares the medians of each case over the runs.

    bench/run_agreement.py FOLDER [--config quick] [--runs 20] [--backends openblas,onednn] [--seconds S]

Every run is a file in FOLDER; what is there is not measured again. The spread of a case is the 97.5 % quantile of its medians
over the 2.5 % quantile. The next columns explain it: without the cases that say how slow the machine was, and these in
cycles of the clock that each run measured, where `compare` names the difference. The last column counts the pairs of runs
whose medians of the case are over 1.1x apart, and those among them that say nothing of it: neither run warns of a slow
machine or of cores that moved, and `compare` names no difference.
"""

import argparse
import itertools
import json
import statistics
import subprocess
from pathlib import Path

BUILD = Path(__file__).resolve().parent.parent / "build"


def spread(medians):
    if len(medians) == 1:
        return 1
    fortieths = statistics.quantiles(medians, n=40, method="inclusive")  # by linear interpolation, as in the reports
    return fortieths[-1] / fortieths[0]


def measure(folder, config, runs, options):
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(1, runs + 1):
        path = folder / f"run-{number:02}.json"
        if path.exists():
            continue
        command = [BUILD / "breakeven", "run", config, "--out", path, "--quiet", *options]
        subprocess.run([str(word) for word in command], check=True)


def was_slow(case):
    return any(note["kind"] == "slow_samples" for note in case.get("notes", []))


def clock_seconds(result):
    return result["machine_speed"]["median_seconds"]["clock"]


def core_to_core(result):
    return result["machine_speed"]["median_seconds"].get("core_to_core", 1)


def is_named(one, other):
    """True if `compare` would report the clock, which it does from a difference of 2 % up, or cores that were moved."""
    ways = [core_to_core(one), core_to_core(other)]
    return abs(clock_seconds(one) / clock_seconds(other) - 1) > 0.02 or max(ways) >= 2 * min(ways)


def warns_of_cores(result):
    return any(note["kind"] == "cores_moved" for note in result.get("notes", []))


def report(folder):
    results = [json.loads(path.read_text()) for path in sorted(folder.glob("run-[0-9][0-9].json"))]
    cases = {}
    for result in results:
        for case in result["cases"]:
            if case["status"] == "ok":
                cases.setdefault(f"{case['id']} {case['backend']}", []).append((result, case, case["seconds"]["median"]))
    slow = [r["machine_speed"]["slow_rounds"] / r["machine_speed"]["rounds"] for r in results]
    clocks = [30000 / clock_seconds(r) / 1e9 for r in results]
    print(f"{len(results)} runs, {len(cases)} cases. Rounds below 95 % of the machine's own speed: ", end="")
    print(f"{100 * statistics.median(slow):.0f} % in the median run, {100 * max(slow):.0f} % at most. ", end="")
    print(f"Clock (3 cycles a multiplication): {min(clocks):.2f} to {max(clocks):.2f} GHz.\n")
    print("| case | median of medians | spread | without slow runs | and in cycles | pairs over 1.1x | of them unexplained |")
    print("|---|---|---|---|---|---|---|")
    spreads, cycle_spreads = [], []
    for key, measured in sorted(cases.items(), key=lambda item: -spread([median for _, _, median in item[1]])):
        medians = [median for _, _, median in measured]
        quiet = [(result, median) for result, case, median in measured if not was_slow(case)]
        apart = [
            (a, b)
            for a, b in itertools.combinations(measured, 2)
            if max(a[2], b[2]) > 1.1 * min(a[2], b[2])
        ]  # fmt: skip
        unexplained = [
            (a, b)
            for a, b in apart
            if not (was_slow(a[1]) or was_slow(b[1]) or warns_of_cores(a[0]) or warns_of_cores(b[0]) or is_named(a[0], b[0]))
        ]  # fmt: skip
        spreads.append(spread(medians))
        texts = ["", ""]
        if len(quiet) > 1:
            cycle_spreads.append(spread([median / clock_seconds(result) for result, median in quiet]))
            texts = [f"{spread([median for _, median in quiet]):.2f}x of {len(quiet)}", f"{cycle_spreads[-1]:.2f}x"]
        print(f"| {key} | {1e6 * statistics.median(medians):.4g} µs | {spreads[-1]:.2f}x | {texts[0]} | {texts[1]} ", end="")
        print(f"| {len(apart)} | {len(unexplained)} |")
    print(f"\nMedian spread {statistics.median(spreads):.2f}x, largest {max(spreads):.2f}x; without slow runs and in cycles ", end="")
    if cycle_spreads:
        print(f"{statistics.median(cycle_spreads):.2f}x, largest {max(cycle_spreads):.2f}x.")
    else:
        print("unknown: no case has two runs at the machine's own speed.")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--config", default="quick")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--backends")
    parser.add_argument("--seconds", type=float)
    o = parser.parse_args()
    options = ["--backends", o.backends] if o.backends else []
    measure(o.folder, o.config, o.runs, options + (["--seconds", o.seconds] if o.seconds else []))
    report(o.folder)


if __name__ == "__main__":
    main()
