#!/usr/bin/env python3
"""Which backends that report less time than passed are believed?

    bench/lying_backends.py                                            the whole table
    bench/lying_backends.py --factors 1.5,2,3 --calls 1e-3 --commands run

Each backend computes right results and reports its time divided by a factor: from its first sample on, or honestly until the driver has
settled on the length of samples (one whose calls are long may end before that). One honest backend of the same speed is measured with it by
`run`, and is its base in a `gate`. A backend is believed if its case is `ok`, or if the gate passes. Nothing here is a timing that must be
steady: the machine may be busy.

Exit status: 0, or 1 if a backend was believed whose factor is --documented or more, or the honest one was not.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FACTORS = [1.0, 1.5, 2.0, 3.0, 10.0, 100.0, 1e3, 1e6, 1e12, 1e300]
CALLS = [1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1.0]
FIRST = [1, 5, 20]
DOCUMENTED = 2.0  # the smallest factor that is found: docs/reported-times.md
# Seconds for sampling. Calls of a second need some time to be told from a driver that was stopped.
SECONDS = 1


def lying_backend(name, factor, first, call, device="cpu", answer=None):
    """The source of a backend whose iterations take `call` seconds, and which reports them divided by `factor` from its sample number
    `first` on; on a GPU, only in samples that have `device_seconds`. `answer` is what it says instead, in Python, of `count` iterations, the
    divided `seconds` of each and the `truth`. It is docs/example-backend.py with another way of timing."""
    source = (ROOT / "docs" / "example-backend.py").read_text()
    lies_in, more = ("True", "") if device == "cpu" else ('request.get("device_seconds", True)', ', "device_seconds": seconds')
    answer = answer or f'{{"iterations": count, "seconds": seconds{more}}}'
    begin = source.index("    def sample(self, request):")
    end = source.index("    def release(self, request):")
    lies = f"""    samples = 0

    def sample(self, request):
        Example.samples += 1
        count, start = request["iterations"], time.perf_counter()
        self.run()
        while time.perf_counter() - start < count * {call!r}:
            pass
        seconds = truth = (time.perf_counter() - start) / count
        if Example.samples >= {first} and {lies_in}:
            seconds = max(truth / {factor!r}, 5e-324)
            __import__("pathlib").Path(__file__).with_name("lied").touch()
        return {answer}

"""
    return source[:begin].replace('"name": "example"', f'"name": "{name}", "device": "{device}"') + lies + source[end:]


def add_program(folder, name, text):
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / f"breakeven-backend-{name}"
    program.write_text(text)
    program.chmod(0o755)


class Trial:
    """A folder with a config and backends; `seconds` of sampling each."""

    def __init__(self, build, folder, seconds=SECONDS):
        self.driver, self.folder, self.seconds = build / "breakeven", Path(folder), seconds
        config = {"title": "t", "measure": {"max_seconds": seconds}, "workloads": [{"op": "matmul", "m": 4, "n": 4, "k": 4, "dtype": "f64"}]}
        (self.folder / "c.json").write_text(json.dumps(config))

    def _breakeven(self, *arguments):
        environment = dict(os.environ, BREAKEVEN_BACKENDS=str(self.folder / "programs"))
        return subprocess.run([self.driver, *arguments, "--threads", "1", "--quiet"], cwd=self.folder, env=environment, capture_output=True, text=True)

    def has_lied(self):
        """Whether the backend got as far as its first lie; one whose calls are long may have fewer samples."""
        return any((self.folder / side / "lied").exists() for side in ("programs", "head"))

    def run(self, factor, first, call, device="cpu", answer=None):
        """(status, exit status, reason) of the case of the lying backend."""
        add_program(self.folder / "programs", "liar", lying_backend("liar", factor, first, call, device, answer))
        done = self._breakeven("run", "c.json", "--backends", "liar", "--out", "r.json")
        case = json.loads((self.folder / "r.json").read_text())["cases"][0]
        return case["status"], done.returncode, case.get("reason", "")

    def gate(self, factor, first, call):
        """The same for the lying backend as head of a gate whose base is honest."""
        for side, divisor in (("base", 1.0), ("head", factor)):
            add_program(self.folder / side, "liar", lying_backend("liar", divisor, first, call))
        done = self._breakeven("gate", "c.json", "--base", "base", "--head", "head", "--backends", "liar", "--minutes", "0.5", "--out", "v.json")
        case = json.loads((self.folder / "v.json").read_text())["cases"][0]
        return case["verdict"], done.returncode, case.get("reason", "")


def numbers(text):
    return [float(number) for number in text.split(",")]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--build", type=Path, default=ROOT / "build", help="the build folder; default: build")
    options.add_argument("--factors", type=numbers, default=FACTORS)
    options.add_argument("--calls", type=numbers, default=CALLS, help="seconds of one iteration")
    options.add_argument("--first", type=numbers, default=FIRST, help="the numbers of the first samples that are reported too short")
    options.add_argument("--commands", default="run,gate")
    options.add_argument("--documented", type=float, default=DOCUMENTED)
    chosen = options.parse_args()
    wrong = 0
    print(f"{'command':8} {'call':>8} {'first':>5} {'factor':>8}  outcome", flush=True)
    for command in chosen.commands.split(","):
        for call in chosen.calls:
            for first in chosen.first:
                for factor in chosen.factors:
                    with tempfile.TemporaryDirectory(prefix="breakeven-liar-") as folder:
                        trial = Trial(chosen.build.resolve(), folder)
                        outcome, status, reason = getattr(trial, command)(factor, int(first), call)
                        lied = trial.has_lied()
                    believed = status == 0
                    if not lied:
                        outcome = f"{outcome}, had no sample number {first:g}"
                    elif believed if factor >= chosen.documented else not believed and factor == 1 and command == "run":
                        wrong += 1
                        outcome = f"WRONG: {outcome}"
                    print(f"{command:8} {call:8g} {first:5g} {factor:8g}  {outcome}, exit status {status} {reason[:90]}", flush=True)
    print(f"{wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
