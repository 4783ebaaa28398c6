#!/usr/bin/env python3
"""Does a run take the number of threads that is the fastest? A Markdown table.

    bench/thread_choice.py [--build build] [--rounds 5] [--neighbour]

In each round the same config is run with all threads, with one fewer, and without a number, in random order. `all` and
`one fewer` are the medians over rounds, in µs. `chosen` is the median over rounds of the time without a number, divided
by that of the faster of both numbers in the same round: above 1 by noise alone, since the lower of two is taken.
--neighbour: a program of real-time priority takes 6 of every 10 ms of the last core, as a virtual machine's neighbour
does; it needs root.
"""

import argparse
import contextlib
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

CONFIG = {
    "title": "threads",
    "backends": ["onednn", "openblas"],
    "measure": {"own_speed": "ignored"},
    "workloads": [
        {"op": "train", "network": ["mlp", "lenet"], "batch": [8, 64]},
        {"op": "matmul", "m": [64, 256], "n": "m", "k": "m"},
    ],
}


def take_the_last_core():
    cpu = max(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cpu})
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
    while True:
        end = time.perf_counter() + 0.006
        while time.perf_counter() < end:
            pass
        time.sleep(0.004)


@contextlib.contextmanager
def neighbour(wanted):
    if not wanted:
        yield
        return
    program = subprocess.Popen([sys.executable, __file__, "--be-the-neighbour"])
    try:
        time.sleep(0.5)
        if program.poll() is not None:
            sys.exit("thread_choice.py: --neighbour needs root, for a real-time priority")
        yield
    finally:
        program.kill()
        program.wait()


def times(build, folder, options):
    """Median seconds and the number of threads chosen (0: all) by (id, backend); the number of all."""
    out = folder / "out.json"
    subprocess.run([build / "breakeven", "run", folder / "config.json", "--out", out, "--quiet", *options], check=True)
    found, result = {}, json.loads(out.read_text())
    for case in result["cases"]:
        chosen = [note["threads"] for note in case.get("notes", []) if note["kind"] == "fewer_threads"]
        if case["status"] == "ok":
            found[case["id"], case["backend"]] = case["seconds"]["median"], chosen[0] if chosen else 0
    return found, result["host"]["threads"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--neighbour", action="store_true")
    parser.add_argument("--be-the-neighbour", action="store_true", help=argparse.SUPPRESS)
    o = parser.parse_args()
    if o.be_the_neighbour:
        take_the_last_core()
    rounds = {}
    with tempfile.TemporaryDirectory() as name, neighbour(o.neighbour):
        folder = pathlib.Path(name)
        (folder / "config.json").write_text(json.dumps(CONFIG))
        _, threads = times(o.build, folder, ["--seconds", "0.01"])
        if threads < 2:
            sys.exit("thread_choice.py: there is one core, and nothing to choose")
        options = {"all": ["--threads", str(threads)], "fewer": ["--threads", str(threads - 1)], "chosen": []}
        for _ in range(o.rounds):
            for kind in random.sample(list(options), len(options)):
                for key, time_and_threads in times(o.build, folder, options[kind])[0].items():
                    rounds.setdefault(key, {}).setdefault(kind, []).append(time_and_threads)
    print("| case | backend | all | one fewer | chosen | rounds with fewer |\n|---|---|---|---|---|---|")
    for (case, backend), found in rounds.items():
        seconds = {kind: [one for one, _ in of] for kind, of in found.items()}
        ratio = statistics.median(
            chosen / min(both) for chosen, *both in zip(seconds["chosen"], seconds["all"], seconds["fewer"])
        )
        fewer = sum(threads > 0 for _, threads in found["chosen"])
        medians = [f"{1e6 * statistics.median(seconds[kind]):.4g}" for kind in ("all", "fewer")]
        print(f"| {case} | {backend} | {medians[0]} | {medians[1]} | {ratio:.2f} | {fewer} |")


if __name__ == "__main__":
    main()
