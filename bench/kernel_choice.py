#!/usr/bin/env python3
"""Do OpenBLAS and BLIS get their fastest kernels at a newcomer's first start? A Markdown table for each library.

    bench/kernel_choice.py [--build build] [--starts 20] [--rounds 60]

Counts which kernels `breakeven run` chooses in so many first runs, each with an empty cache. Then all kernels that run
here are timed beside one another: f32 products of 512 and 1024, one program for each, in turn and in random order.
`speed` is the geometric mean over both sizes of the median over rounds of the fastest kernels' time over these kernels'
time. Only kernels that the library says it takes count. Measure on an otherwise idle machine.
"""

import argparse
import collections
import contextlib
import json
import math
import os
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile

from programs import BackendProgram, driver_environment, matmul

SIZES = (512, 1024)
SAMPLE_SECONDS = 0.02
# All values of the library's variable for kernels on x86 with AVX2 or more. BLIS uses numbers.
VALUES = {
    "openblas": ("OPENBLAS_CORETYPE", ["Haswell", "Zen", "SkylakeX", "Cooperlake", "SapphireRapids"]),
    "blis": ("BLIS_ARCH_TYPE", [str(number) for number in range(12)]),
}


class Kernels(BackendProgram):
    """A backend program as the driver starts it, and the kernels that its library says it takes."""

    def __init__(self, path, threads, **variables):
        super().__init__([path], threads=threads, environment=driver_environment(threads) | variables)
        self.kernels = kernels_in(next(iter(self.hello["libraries"].values())))

    def prepare(self, size):
        product = matmul(size, size, size)
        product["parameters"]["tuned"] = False
        self.ask(request="prepare", **product)
        self.sample(2)

    def sample(self, iterations):
        return self.ask(request="sample", iterations=iterations)["seconds"]


def first_starts(program, threads, count):
    """How often the driver selected each set of kernels with an empty cache."""
    chosen = collections.Counter()
    for _ in range(count):
        with tempfile.TemporaryDirectory() as folder:
            config, out = pathlib.Path(folder, "config.json"), pathlib.Path(folder, "out.json")
            measure = {"max_seconds": 0.02, "own_speed": "ignored"}
            config.write_text(json.dumps({"measure": measure, "workloads": [{"op": "matmul", "m": 8, "n": 8, "k": 8}]}))
            backend = program.name.removeprefix("breakeven-backend-")
            command = [program.parent / "breakeven", "run", config, "--backends", backend, "--out", out, "--quiet"]
            done = subprocess.run([*command, "--threads", str(threads)], env=os.environ | {"XDG_CACHE_HOME": folder})
            if done.returncode != 0:
                chosen[None] += 1
                continue
            (version,) = json.loads(out.read_text())["backends"][0]["libraries"].values()
            chosen[kernels_in(version)] += 1
    return chosen


def kernels_in(version):
    return re.sub(r"^\S+ ", "", version).removeprefix("kernels for ").partition(",")[0]


def all_kernels(program, threads, variable, values):
    """A program for each set of kernels in the library, by its name."""
    found = {}
    for value in values:
        with contextlib.suppress(RuntimeError):  # the program ends where its kernels cannot run
            started = Kernels(program, threads, **{variable: value})
            if started.kernels in found:
                started.kill()
            else:
                started.prepare(SIZES[0])
                found[started.kernels] = started
    return found


def times(programs, rounds):
    """{size: {kernels: seconds of every round}}"""
    taken = {size: collections.defaultdict(list) for size in SIZES}
    for size in SIZES:
        for one in programs.values():
            one.prepare(size)
        iterations = max(1, round(SAMPLE_SECONDS / min(one.sample(2) for one in programs.values())))
        for _ in range(rounds):
            for name in random.sample(list(programs), len(programs)):
                taken[size][name].append(programs[name].sample(iterations))
    return taken


def speeds(taken):
    """{kernels: speed relative to the fastest}"""

    def faster(name, than):
        ratios = [[b / a for a, b in zip(of_size[name], of_size[than])] for of_size in taken.values()]
        return math.prod(statistics.median(of_one) for of_one in ratios) ** (1 / len(ratios))

    names = list(taken[SIZES[0]])
    fastest = max(names, key=lambda name: faster(name, names[0]))
    return {name: min(1.0, faster(name, fastest)) for name in names}


def report(library, program, arguments):
    chosen = first_starts(program, arguments.threads, arguments.starts)
    programs = all_kernels(program, arguments.threads, *VALUES[library])
    taken = times(programs, arguments.rounds)
    for one in programs.values():
        one.kill()
    of_kernels = speeds(taken)
    print(f"\n| {library}'s kernels | first runs | speed | " + " | ".join(f"{size}, ms" for size in SIZES) + " |")
    print("|---|---|---|" + "---|" * len(SIZES))
    for name, speed in sorted(of_kernels.items(), key=lambda item: -item[1]):
        medians = " | ".join(f"{statistics.median(taken[size][name]) * 1e3:.4g}" for size in SIZES)
        print(f"| {name} | {chosen[name]} | {speed:.3f} | {medians} |")
    if chosen[None] > 0:
        print(f"\n{chosen[None]} of {arguments.starts} first runs ended with an error.")
    del chosen[None]
    if not chosen:
        return
    unknown = set(chosen) - set(of_kernels)
    if unknown:
        print(f"\nNot timed, because no value of {VALUES[library][0]} selects them: {', '.join(sorted(unknown))}.")
        return
    mean = sum(count * of_kernels[name] for name, count in chosen.items()) / max(1, sum(chosen.values()))
    good = sum(count for name, count in chosen.items() if of_kernels[name] >= 0.97)
    print(f"\nFirst runs at 0.97 of the fastest or more: {good} of {sum(chosen.values())}. On average: {mean:.3f}.")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"), help="default: %(default)s")
    parser.add_argument("--starts", type=int, default=20, help="first runs; default: %(default)s")
    parser.add_argument("--rounds", type=int, default=60, help="samples of each; default: %(default)s")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)), help="default: %(default)s")
    arguments = parser.parse_args()
    if set_by_user := [variable for variable, _ in VALUES.values() if variable in os.environ]:
        parser.error(f"{set_by_user[0]} is set, and no race is run; unset it")
    found = {library: arguments.build.resolve() / f"breakeven-backend-{library}" for library in VALUES}
    found = {library: program for library, program in found.items() if program.exists()}
    if not found:
        parser.error(f"{arguments.build} has neither openblas nor blis: build breakeven, or name its folder by --build")
    random.seed(1)
    for library, program in found.items():
        report(library, program, arguments)


if __name__ == "__main__":
    sys.exit(main())
