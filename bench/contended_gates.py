#!/usr/bin/env python3
"""Does contention make the gate sure of something false? Gates of two programs of one quiet speed, which a neighbour slows
unlike (bench/unlike_backend.c), beside real neighbours.

    bench/contended_gates.py measure FOLDER [--gates 100] [--minutes 60] [--only loop,quota]
    bench/contended_gates.py report FOLDER

Every gate is a file in FOLDER; what is there is not measured again. Half of the neighbours stay for the whole gate, the
others for a part of it. `quota` needs root and a writable cgroup (version 1 or 2). Measure on a machine that is otherwise
idle: what nobody planted is contention, too.
"""

import argparse
import contextlib
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from gate_quality import BUILD, BUSY, ROOT, after, compute, keep, run_gate

SECONDS = 30  # per gate
PROGRAM = "breakeven-backend-unlike"


def build_unlike(folder):
    program = folder / PROGRAM
    source = ROOT / "bench" / "unlike_backend.c"
    options = ["-O2", "-march=native", "-ffp-contract=fast", "-I", ROOT / "docs", "-o", program, source, "-lm"]
    subprocess.run([os.environ.get("CC", "cc"), *(str(word) for word in options)], check=True)
    return program


# ---- neighbours. Arguments: the CPU of the gate's programs, when to begin and end, and the program for the wide work


@contextlib.contextmanager
def nobody(cpu, generator, window, wide):
    yield


def on(cpu, command):
    return ["taskset", "-c", str(cpu), *command]


def computing(command, cpu, window):
    return after(window[0], lambda over: compute([on(cpu, command)], window[1] - window[0], over))


def loop(cpu, generator, window, wide):
    """Runs another program on the same CPU."""
    return computing(BUSY, cpu, window)


def other_cpu(cpu, generator, window, wide):
    """Does the wide work on another CPU. It may be a sibling of the gate's CPU, which hypervisors hide."""
    others = sorted(os.sched_getaffinity(0) - {cpu})
    siblings = Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list").read_text().strip()
    told = [c for c in others if str(c) in siblings.replace("-", ",").split(",")]
    return computing([str(wide), "forever"], (told or others)[0], window)


def bursts(cpu, generator, window, wide):
    """Runs another program on the same CPU, with pauses."""

    def come_and_go(over):
        until = time.monotonic() + window[1] - window[0]
        while time.monotonic() < until and not over.is_set():
            compute([on(cpu, BUSY)], generator.uniform(0.05, 2), over)
            over.wait(generator.uniform(0.05, 2))

    return after(window[0], come_and_go)


class Quota:
    """A cgroup of this process and its children that limits their share of a CPU for a while."""

    def __init__(self):
        v1 = Path("/sys/fs/cgroup/cpu")
        self.is_v1 = v1.is_dir()
        self.parent = v1 if self.is_v1 else Path("/sys/fs/cgroup")
        self.folder = self.parent / f"breakeven-{os.getpid()}"

    def is_possible(self):
        try:
            self.folder.mkdir()
            self.limit(None)
            return True
        except OSError:
            return False
        finally:
            with contextlib.suppress(OSError):
                self.folder.rmdir()

    def limit(self, cpus):
        period = 100_000
        quota = -1 if cpus is None else int(cpus * period)
        if self.is_v1:
            (self.folder / "cpu.cfs_period_us").write_text(str(period))
            (self.folder / "cpu.cfs_quota_us").write_text(str(quota))
        else:
            (self.folder / "cpu.max").write_text(f"{'max' if cpus is None else quota} {period}")

    def leave(self):
        (self.parent / "cgroup.procs").write_text(str(os.getpid()))
        deadline = time.monotonic() + 5
        while time.monotonic() < deadline:
            with contextlib.suppress(OSError):
                self.folder.rmdir()
                return
            time.sleep(0.05)


@contextlib.contextmanager
def quota(cpu, generator, window, wide):
    """Limits the gate and its programs to less than one CPU."""
    group = Quota()
    group.folder.mkdir()
    (group.folder / "cgroup.procs").write_text(str(os.getpid()))
    cpus = generator.uniform(0.2, 0.8)

    def limit(over):
        group.limit(cpus)
        over.wait(window[1] - window[0])
        group.limit(None)

    try:
        with after(window[0], limit):
            yield
    finally:
        group.leave()


KINDS = {"none": nobody, "loop": loop, "bursts": bursts, "quota": quota, "other-cpu": other_cpu}


# ---- gates


def measure_gate(path, kind, number, cpu, folder, links):
    generator = random.Random(f"{kind}-{number}")
    stays = number % 2 == 1
    begin = 0 if stays else generator.uniform(0, 1.5)  # a quiet gate ends after 3 s
    window = (begin, 3600) if stays else (begin, begin + generator.uniform(1, SECONDS / 3))
    config = {
        "measure": {"seed": 1000 + number, "max_seconds": 2},
        "workloads": [{"op": "matmul", "m": [4, 8], "n": "m", "k": "m", "dtype": "f32"}],
    }
    (folder / "config.json").write_text(json.dumps(config))
    made = folder / "verdicts.json"
    made.unlink(missing_ok=True)
    command = on(cpu, [BUILD / "breakeven", "gate", folder / "config.json", "--base", folder, "--head", folder])
    command += ["--backends", "unlike", "--base-env", "UNLIKE_WORK=wide", "--head-env", f"UNLIKE_WORK=chain:{links}"]
    command += ["--minutes", SECONDS / 60, "--threads", 1, "--quiet", "--out", made]
    start = time.monotonic()
    with KINDS[kind](cpu, generator, window, folder / PROGRAM):
        run_gate(kind, command)
        seconds = time.monotonic() - start
    verdicts = json.loads(made.read_text())
    contended = max(0, min(window[1], seconds) - window[0]) if kind != "none" else 0
    verdicts["contention"] = {"kind": kind, "stays": stays, "begin": begin, "seconds": contended, "of": seconds}
    keep(verdicts, path)
    found = ", ".join(case["verdict"] for case in verdicts["cases"])
    print(f"{path.name}: {found}; {seconds:.0f} s, of them {contended:.0f} contended", flush=True)


def files_of(folder, kind):
    return sorted(folder.glob(f"{kind}-[0-9][0-9][0-9].json"))


def measure(folder, gates, minutes, only):
    folder.mkdir(parents=True, exist_ok=True)
    kinds = [kind for kind in KINDS if not only or kind in only]
    if "quota" in kinds and not Quota().is_possible():
        print("quota: left out, no cgroup can be made here", file=sys.stderr)
        kinds.remove("quota")
    if len(os.sched_getaffinity(0)) < 2 and "other-cpu" in kinds:
        print("other-cpu: left out, there is one CPU", file=sys.stderr)
        kinds.remove("other-cpu")
    cpu = min(os.sched_getaffinity(0))
    end = time.monotonic() + 60 * minutes
    with tempfile.TemporaryDirectory() as name:
        program = build_unlike(Path(name))
        links = int(subprocess.check_output(on(cpu, [program, "calibrate"])))
        while time.monotonic() < end:
            done = {kind: len(files_of(folder, kind)) for kind in kinds}
            kind = min(kinds, key=lambda k: done[k])
            if sum(done.values()) >= gates:
                return
            number = done[kind] + 1
            measure_gate(folder / f"{kind}-{number:03}.json", kind, number, cpu, Path(name), links)


# ---- the report


def report(folder):
    print("| neighbour | gates | false | same | inconclusive | contended, median | inconclusive where it left |")
    print("|---|---|---|---|---|---|---|")
    for kind in KINDS:
        gates = [json.loads(path.read_text()) for path in files_of(folder, kind)]
        if not gates:
            continue
        verdicts = [case["verdict"] for gate in gates for case in gate["cases"]]
        left = [case["verdict"] for gate in gates if not gate["contention"]["stays"] for case in gate["cases"]]
        share = statistics.median(gate["contention"]["seconds"] / gate["contention"]["of"] for gate in gates)
        false = sum(verdict in ("slower", "faster") for verdict in verdicts)
        counts = f"{false} | {verdicts.count('same')} | {verdicts.count('inconclusive')}"
        print(f"| {kind} | {len(gates)} | {counts} | {100 * share:.0f} % | {left.count('inconclusive')} of {len(left)} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    measuring = commands.add_parser("measure", help="gates, one after another")
    measuring.add_argument("folder", type=Path)
    measuring.add_argument("--gates", type=int, default=100, help="in all, equally many of each kind")
    measuring.add_argument("--minutes", type=float, default=60, help="none is begun later")
    measuring.add_argument("--only", type=lambda kinds: kinds.split(","), help=", ".join(KINDS))
    reporting = commands.add_parser("report", help="a table in Markdown")
    reporting.add_argument("folder", type=Path)
    o = parser.parse_args()
    if o.command == "measure":
        if unknown := set(o.only or ()) - set(KINDS):
            parser.error(f"--only: {', '.join(sorted(unknown))}: there are {', '.join(KINDS)}")
        measure(o.folder, o.gates, o.minutes, o.only)
    else:
        report(o.folder)


if __name__ == "__main__":
    main()
