#!/usr/bin/env python3
"""What is left when `breakeven run` is killed, hung up, terminated (once or twice) or stopped at a random moment?

    bench/interrupted_runs.py                                              50 rounds of each kind
    bench/interrupted_runs.py --kills 200 --hangups 200 --terminations 50 --pairs 200 --stops 50 --seed 2
    bench/interrupted_runs.py --backends openblas,onednn                   which real ones; default: these

A round starts a run in a folder of its own, waits for a moment that is drawn from the whole length of such a run (every second one from its
first tenth), and sends SIGKILL, SIGHUP or SIGTERM to the driver. Every second round has real backends; the other one has simulated
ones that each start a process in a session of its own. Afterwards this must hold:

    processes   all that the run started have gone within --grace seconds
    files       nothing is left but the result, the earlier one and the lock's and unfinished files, which stop nobody
    result      it is absent, or a whole file that `breakeven report` reads and whose cases are among those of a whole run
    resume      `run --resume` (without a file: `run --out`) ends with status 0 and every case ok, and keeps what was measured bit for bit
    litter      after it, the folder holds no lock and no unfinished file

A round of pairs sends SIGINT or SIGTERM and, up to 200 ms later, one of both again. Neither may end the run by itself, nor leave a lock
or an unfinished file, unless the first came before the run had begun anything.

A round of stops sends SIGSTOP and, after up to 6 s, SIGCONT, where an answer has 3 s: the run must end with status 0 and every case
ok. Nothing here is a timing: the machine may be busy. Exit status: 0, or 1 if something did not hold.
"""

import argparse
import json
import os
import random
import signal
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MARK = "BREAKEVEN_INTERRUPTED_ROUND"  # in the environment of a round's processes, so that they can be found
SIZES = [8, 16, 24, 32]
SIGNALS = {"killed": signal.SIGKILL, "hung up": signal.SIGHUP, "terminated": signal.SIGTERM}
ENDS = {0: "ended by itself", 130: "saved and ended with 130"}
LIMIT = 3  # seconds until an answer must have arrived while the driver is stopped; enough even on a busy machine
PATIENCE = 120  # seconds within which a run of less than three must end


class Wrong(Exception):
    """A requirement that is not met."""


class Round:
    def __init__(self, driver, backends, simulated, measure):
        self.driver = driver
        self.folder = Path(tempfile.mkdtemp(prefix="breakeven-interrupted-"))
        programs = self.folder / "backends"
        programs.mkdir()
        for name, program in backends.items():
            (programs / f"breakeven-backend-{name}").symlink_to(program)
        products = {"op": "matmul", "m": SIZES, "n": "m", "k": "m", "dtype": "f32"}
        config = {"backends": list(backends), "measure": measure, "workloads": [products]}
        (self.folder / "config.json").write_text(json.dumps(config))
        self.environment = dict(os.environ, BREAKEVEN_BACKENDS=str(programs), **{MARK: self.folder.name})
        if simulated:
            self.environment.update(BREAKEVEN_SIMULATED=simulated, BREAKEVEN_SIMULATED_CLOCK="1")
        self.out = self.folder / "out.json"
        self.ours = {"backends", "config.json"}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.processes():
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        shutil.rmtree(self.folder)

    def start(self, *arguments):
        command = [self.driver, "run", "config.json", "--quiet", "--threads", "1", *arguments]
        return subprocess.Popen(command, env=self.environment, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def end_of(self, process):
        """(exit status, standard error)"""
        try:
            _, errors = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            raise Wrong(f"the run had not ended after {PATIENCE} s")
        return process.returncode, errors

    def processes(self):
        """The started processes that still exist, except zombies."""
        mark, left = f"{MARK}={self.folder.name}".encode(), []
        for entry in Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and mark in (entry / "environ").read_bytes().split(b"\0"):
                    left.append(int(entry.name))
            except OSError:
                pass  # it has ended meanwhile, or is another user's
        return left

    def expect_no_processes(self, grace):
        end = time.monotonic() + grace
        while left := self.processes():
            if time.monotonic() > end:
                names = [Path(f"/proc/{process}/comm").read_text().strip() for process in left]
                raise Wrong(f"{len(left)} processes are left: {', '.join(names)}")
            time.sleep(0.02)

    def files(self):
        return {path.name for path in self.folder.iterdir()} - self.ours

    def read_result(self):
        try:
            return json.loads(self.out.read_text())
        except ValueError as error:
            raise Wrong(f"the result is no whole file: {error}")

    def cases(self):
        return {(case["id"], case["backend"]): case for case in self.read_result()["cases"]}

    def expect_readable(self, whole):
        """Checks that the result is readable, and returns the measured cases by id and backend."""
        if not self.out.exists():
            return {}
        report = subprocess.run([self.driver, "report", self.out], capture_output=True, text=True)
        if report.returncode != 0:
            raise Wrong(f"the result cannot be read: {report.stderr.strip()}")
        cases = self.cases()
        if strange := set(cases) - whole:
            raise Wrong(f"cases that are of no whole run: {sorted(strange)}")
        if wrong := {case["status"] for case in cases.values()} - {"ok", "interrupted"}:
            raise Wrong(f"cases are {', '.join(sorted(wrong))}")
        return {key: case for key, case in cases.items() if case["status"] == "ok"}

    def expect_all_ok(self, whole):
        cases = self.cases()
        bad = [f"{case['id']} by {case['backend']}: {case['status']}: {case.get('reason', '')}" for case in cases.values() if case["status"] != "ok"]
        if bad:
            raise Wrong(f"{len(bad)} cases are not ok, as {bad[0]}")
        if set(cases) != whole:
            raise Wrong(f"{len(set(cases) ^ whole)} cases are missing or strange")

    def expect_resumable(self, whole, measured):
        option = "--resume" if self.out.exists() else "--out"
        status, errors = self.end_of(self.start(option, "out.json"))
        if status != 0:
            raise Wrong(f"{option} ended with status {status}: {errors.strip()}")
        if not self.read_result()["complete"]:
            raise Wrong(f"{option} left an incomplete result")
        self.expect_all_ok(whole)
        if changed := [key for key, case in measured.items() if self.cases()[key] != case]:
            raise Wrong(f"{len(changed)} cases were measured again")
        if litter := self.files() - {"out.json", "out.previous.json"}:
            raise Wrong(f"after it are left: {', '.join(sorted(litter))}")


class Kind:
    """Runs with one choice of backends."""

    def __init__(self, driver, backends, simulated, measure):
        self.arguments = (driver, backends, simulated, measure)
        start = time.monotonic()
        with Round(*self.arguments) as one:
            status, errors = one.end_of(one.start("--out", "out.json"))
            if status != 0:
                raise SystemExit(f"interrupted_runs: a run that nobody interrupts ends with status {status}: {errors.strip()}")
            self.seconds = time.monotonic() - start
            self.whole = set(one.cases())
            one.expect_all_ok(self.whole)

    def round(self):
        return Round(*self.arguments)

    def moment(self, generator):
        """A random moment. Half of them are in the first tenth, in which programs are started and say hello."""
        return self.seconds * generator.uniform(0, generator.choice([0.1, 1]))

    def interrupt(self, numbers, generator, grace, counts):
        with self.round() as one:
            process = one.start("--out", "out.json")
            time.sleep(self.moment(generator))
            process.send_signal(numbers[0])
            if len(numbers) > 1:
                time.sleep(generator.uniform(0, 0.2))
                process.send_signal(numbers[1])
            status, errors = one.end_of(process)
            counts[ENDS.get(status, "ended by the signal" if -status in numbers else f"status {status}")] += 1
            if status not in (0, 130) and -status not in numbers:
                raise Wrong(f"the run ended with status {status}: {errors.strip()}")
            one.expect_no_processes(grace)
            left = one.files()
            if len(numbers) > 1 and (left - {"out.json"} or status < 0 and left):
                raise Wrong(f"{ENDS.get(status, f'ended with status {status}')}, and left {', '.join(sorted(left))}")
            counts["left a lock"] += ".out.json.lock" in left
            counts["left an unfinished file"] += any(name.endswith(".part") for name in left)
            if strange := [name for name in left if name not in ("out.json", "out.previous.json", ".out.json.lock") and not name.endswith(".part")]:
                raise Wrong(f"files are left: {', '.join(strange)}")
            measured = one.expect_readable(self.whole)
            counts["left no result" if not one.out.exists() else "left a whole result" if len(measured) == len(self.whole) else "left a part of the result"] += 1
            one.expect_resumable(self.whole, measured)

    def stop(self, generator, grace, counts):
        with self.round() as one:
            process = one.start("--out", "out.json")
            time.sleep(self.moment(generator))
            process.send_signal(signal.SIGSTOP)
            time.sleep(generator.uniform(0.1, 2 * LIMIT))
            counts["ended by itself before"] += process.poll() is not None
            process.send_signal(signal.SIGCONT)
            status, errors = one.end_of(process)
            one.expect_all_ok(self.whole)
            if status != 0:
                raise Wrong(f"the run ended with status {status}: {errors.strip()}")
            one.expect_no_processes(grace)


def run_rounds(what, rounds, kinds, seed, play):
    """Runs rounds with each kind of backends in turn. Returns how many failed."""
    held, counts = 0, Counter()
    for number in range(1, rounds + 1):
        generator = random.Random(f"{what} {seed} {number}")
        try:
            play(kinds[number % len(kinds)], generator, counts)
            held += 1
        except Wrong as wrong:
            print(f"{what}, round {number}: {wrong}", flush=True)
        if sys.stderr.isatty():
            print(f"\r{what}: {number} of {rounds}", end="\r", file=sys.stderr, flush=True)
    if rounds:
        details = ", ".join(f"{count} {text}" for text, count in sorted(counts.items()) if count)
        print(f"{what + ':':12} {held} of {rounds} held ({details or 'nothing else to count'})", flush=True)
    return rounds - held


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--kills", type=int, default=50, help="rounds with SIGKILL; default: %(default)s")
    options.add_argument("--hangups", type=int, default=50, help="rounds with SIGHUP; default: %(default)s")
    options.add_argument("--terminations", type=int, default=50, help="rounds with SIGTERM; default: %(default)s")
    options.add_argument("--pairs", type=int, default=50, help="rounds with two of SIGINT and SIGTERM; default: %(default)s")
    options.add_argument("--stops", type=int, default=50, help="rounds with SIGSTOP and SIGCONT; default: %(default)s")
    options.add_argument("--seed", type=int, default=1, help="another one draws other moments; default: %(default)s")
    options.add_argument("--grace", type=float, default=10, help="seconds within which processes must have gone; default: %(default)s")
    options.add_argument("--build", type=Path, default=ROOT / "build", help="the build folder; default: build")
    options.add_argument("--backends", help="real ones, as in openblas,blis; default: openblas and onednn where they are built")
    chosen = options.parse_args()
    build = chosen.build.resolve()
    driver, simulated = build / "breakeven", build / "tests" / "simulated" / "breakeven-backend-simulated"
    for program in (driver, simulated):
        if not program.exists():
            raise SystemExit(f"interrupted_runs: {program} is not built")
    named = chosen.backends.split(",") if chosen.backends else [name for name in ("openblas", "onednn") if (build / f"breakeven-backend-{name}").exists()]
    real = {name: build / f"breakeven-backend-{name}" for name in named}
    made_up = {"a": simulated, "b": simulated}

    measure = {"max_seconds": 0.2, "timeout_seconds": 20}
    in_haste = {"max_seconds": 0.2, "timeout_seconds": LIMIT}
    settings = "spin=1,fixed=1e-3,noise=0.2,seed=5"
    kinds = [Kind(driver, made_up, f"daemon=1,{settings}", measure)]
    stopped = [Kind(driver, made_up, settings, in_haste)]
    if real:
        kinds.append(Kind(driver, real, "", measure))
        stopped.append(Kind(driver, real, "", in_haste))
    print(f"backends: simulated{''.join(', ' + name for name in real)}; a run takes {', '.join(f'{kind.seconds:.1f} s' for kind in kinds)}; seed {chosen.seed}", flush=True)

    failed = 0
    for what, rounds in zip(SIGNALS, (chosen.kills, chosen.hangups, chosen.terminations)):
        def interrupt(kind, generator, counts, number=SIGNALS[what]):
            kind.interrupt([number], generator, chosen.grace, counts)

        failed += run_rounds(what, rounds, kinds, chosen.seed, interrupt)

    def interrupt_twice(kind, generator, counts):
        kind.interrupt(generator.choices([signal.SIGINT, signal.SIGTERM], k=2), generator, chosen.grace, counts)

    failed += run_rounds("pairs", chosen.pairs, kinds, chosen.seed, interrupt_twice)
    failed += run_rounds("stopped", chosen.stops, stopped, chosen.seed, lambda kind, generator, counts: kind.stop(generator, chosen.grace, counts))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
