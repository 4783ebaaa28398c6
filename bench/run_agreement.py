#!/usr/bin/env python3
"""Do runs of one config agree? Runs it many times, and compares the medians of each case over the runs.

    bench/run_agreement.py FOLDER [--config quick] [--runs 20] [--backends openblas,onednn] [--seconds S]

Every run is a file in FOLDER; what is there is not measured again. The spread of a case is the 97.5 % quantile of its medians
over the 2.5 % quantile. A run that says how slow the machine was has said that its times are not the machine's own: the
second column leaves its cases out.
"""

import argparse
import json
import statistics
import subprocess
from pathlib import Path

BUILD = Path(__file__).resolve().parent.parent / "build"


def quantile(values, share):
    """Linear between the values, as in the reports."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])


def spread(medians):
    return quantile(medians, 0.975) / quantile(medians, 0.025)


def measure(folder, config, runs, options):
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(1, runs + 1):
        path = folder / f"run-{number:02}.json"
        if path.exists():
            continue
        command = [BUILD / "breakeven", "run", config, "--out", path, "--quiet", *options]
        subprocess.run([str(word) for word in command], check=True)


def was_slow(case):
    return any("of its own speed" in warning for warning in case.get("warnings", []))


def report(folder):
    results = [json.loads(path.read_text()) for path in sorted(folder.glob("run-[0-9][0-9].json"))]
    medians, unwarned = {}, {}
    for result in results:
        for case in result["cases"]:
            if case["status"] != "ok":
                continue
            key = f"{case['id']} {case['backend']}"
            medians.setdefault(key, []).append(case["seconds"]["median"])
            if not was_slow(case):
                unwarned.setdefault(key, []).append(case["seconds"]["median"])
    slow = [r["machine_speed"]["slow_rounds"] / r["machine_speed"]["rounds"] for r in results if r.get("machine_speed")]
    print(f"{len(results)} runs, {len(medians)} cases; rounds below 95 % of the machine's own speed, median of the runs: ", end="")
    print(f"{100 * statistics.median(slow):.0f} %\n" if slow else "not known\n")
    print("| case | median of medians | spread of all | without runs that said that the machine was slow |")
    print("|---|---|---|---|")
    for key, values in sorted(medians.items(), key=lambda item: -spread(item[1])):
        quiet = unwarned.get(key, [])
        text = f"{spread(quiet):.2f}x of {len(quiet)}" if len(quiet) > 1 else f"{len(quiet)} runs"
        print(f"| {key} | {1e6 * statistics.median(values):.4g} µs | {spread(values):.2f}x | {text} |")
    print(f"\nMedian spread {statistics.median(map(spread, medians.values())):.2f}x, ", end="")
    print(f"largest {max(map(spread, medians.values())):.2f}x.")


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
