#!/usr/bin/env python3
"""How good are the gate's verdicts on this machine? Measures whole gates, and whole runs for the usual tools to compare.

    bench/gate_quality.py measure FOLDER [--config configs/regression.json] [--minutes 60] [--only same,burst] [--besides SUMMARY...]
    bench/gate_quality.py summarise FOLDER --out results/MACHINE/gate-quality.json
    bench/gate_quality.py report results/*/gate-quality.json

Every gate and every run is a file in FOLDER; what is there is not measured again, so that it can be stopped at any time
and goes on another day, on the same machine. Which experiment comes next is the one that is furthest from the number it
wants, with those that summaries of other machines hold. A summary holds what there is to count in them, with the gates that build/bench-gate-resampling makes of them
and the verdicts of compare.py itself. The report is Markdown for docs/gate-quality.md, which says what each experiment is
and how it is judged; counts of several machines are added up.

Measure on an otherwise idle machine, after scripts/quickstart and `cmake --build build --target bench-programs planted-cblas`.
"""

import argparse
import contextlib
import dataclasses
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import zlib
from pathlib import Path

try:
    from scipy.stats import beta
except ImportError:
    beta = None

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
BUSY = [sys.executable, "-c", "while True: pass"]
COMPARE = ["/usr/bin/python3", "/usr/share/benchmark/compare.py"]  # Debian: libbenchmark-tools, python3-scipy


def has_avx512():
    return "avx512f" in Path("/proc/cpuinfo").read_text()


@dataclasses.dataclass
class Experiment:
    """Gates of one kind."""

    title: str
    wanted: int
    options: list = dataclasses.field(default_factory=list)
    burst: bool = False  # other processes compute during a part of it
    elsewhere: bool = False  # the base's programs are copies in a folder with a longer path
    possible: bool = True


PRELOADED = BUILD / "tests/planted_faults/planted-cblas.so"
EXPERIMENTS = {
    "same": Experiment("nothing changed", 30),
    "burst": Experiment("nothing changed, a burst of load", 20, burst=True),
    "folder": Experiment("nothing changed, the base in another folder", 10, elsewhere=True),
    "work-2": Experiment(
        "2 % more work everywhere, threshold 1 %", 3, ["--head-env", "BREAKEVEN_EXTRA_WORK=0.02", "--threshold", "1%"]
    ),
    "work-5": Experiment("5 % more work everywhere", 10, ["--head-env", "BREAKEVEN_EXTRA_WORK=0.05"]),
    "work-10": Experiment("10 % more work everywhere", 10, ["--head-env", "BREAKEVEN_EXTRA_WORK=0.1"]),
    "haswell": Experiment(
        "OpenBLAS without AVX-512", 3, ["--backends", "openblas", "--head-env", "OPENBLAS_CORETYPE=Haswell"],
        possible=has_avx512(),
    ),
    "one-thread": Experiment("one thread instead of two", 3, ["--base-threads", "2", "--head-threads", "1"]),
    "copy": Experiment(
        "OpenBLAS copies an operand first", 3,
        ["--backends", "openblas", "--head-env", f"LD_PRELOAD={PRELOADED}", "--head-env", "BREAKEVEN_PLANTED=needless_copy"],
    ),
}  # fmt: skip

# The heads that the usual tools compare with the base, and the environment of each. A round is one run of each.
ROUND = {
    "same": {},
    "burst": {},
    "work-5": {"BREAKEVEN_EXTRA_WORK": "0.05"},
    "work-10": {"BREAKEVEN_EXTRA_WORK": "0.1"},
}
ROUNDS_WANTED = 12


def files_of(folder, name):
    return sorted(p for p in folder.glob(f"{name}-[0-9][0-9].json"))


def verdict_files(folder, name):
    return [json.loads(p.read_text()) for p in files_of(folder, name)]


# ---- measuring


@contextlib.contextmanager
def after(seconds, work):
    """Calls work(over) in a thread after some seconds, unless the gate has ended. `over` is set when it ends."""
    over = threading.Event()

    def later():
        if not over.wait(seconds):
            work(over)

    thread = threading.Thread(target=later)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def compute(commands, seconds, over):
    """Runs these processes for some seconds, or until `over` is set."""
    busy = [subprocess.Popen(command) for command in commands]
    over.wait(seconds)
    for one in busy:
        one.kill()
        one.wait()


@contextlib.contextmanager
def burst(expected_seconds, generator):
    """Lets other processes use some or all cores for a twentieth to a half of the time, from a random moment on."""
    begin = generator.uniform(0, 0.7) * expected_seconds
    length = generator.uniform(0.05, 0.5) * expected_seconds
    processes = generator.randint(1, os.cpu_count())
    with after(begin, lambda over: compute(processes * [BUSY], length, over)):
        yield {"begin_seconds": begin, "seconds": length, "processes": processes}


def commit():
    """The commit of the gate. Its rules change, and verdicts of earlier rules must not be counted together."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}  # of a git hook
    shown = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty"], env=environment, capture_output=True, text=True)
    return shown.stdout.strip() or "unknown"


def keep(measured, path):
    """Writes the file completely and then renames it, because a file that exists is not measured again."""
    part = path.with_suffix(".part")
    part.write_text(json.dumps(measured, separators=(",", ":")))
    part.rename(path)


def measure_gate(folder, config, name, number):
    experiment = EXPERIMENTS[name]
    path = folder / f"{name}-{number:02}.json"
    usual = [v["wall_seconds"] for v in verdict_files(folder, "same")] or [200]
    generator = random.Random(f"{name}-{number}")
    seed = 1000 + number + 1_000_000 * (zlib.crc32(name.encode()) % 1000)
    with tempfile.TemporaryDirectory() as temporary:
        seeded = seeded_config(config, seed, Path(temporary))
        made = Path(temporary) / "verdicts.json"
        base = copied_programs(Path(temporary)) if experiment.elsewhere else BUILD
        command = [BUILD / "breakeven", "gate", seeded, "--base", base, "--head", BUILD, "--out", made, "--quiet"]
        with burst(statistics.median(usual), generator) if experiment.burst else contextlib.nullcontext() as load:
            start = time.time()
            status = run_gate(name, command + experiment.options)
        keep(json.loads(made.read_text()) | {"burst": load, "commit": commit()}, path)
    print(f"{path.name}: status {status}, {time.time() - start:.0f} s", flush=True)


def run_gate(name, command):
    """The exit status. Ends this program if the gate gave no verdict."""
    status = subprocess.run([str(word) for word in command]).returncode
    if status not in (0, 1, 3):
        sys.exit(f"{name}: the gate ended with status {status}")
    return status


def copied_programs(folder):
    """Copies the programs to a longer path, whose length moves a program's stack and with it its data in memory."""
    copies = folder / "a-folder-whose-path-is-quite-a-bit-longer-than-that-of-the-build"
    copies.mkdir()
    for program in BUILD.glob("breakeven-backend-*"):
        shutil.copy2(program, copies, follow_symlinks=True)
    return copies


def seeded_config(config, seed, folder):
    """The config with another seed, and so another order of everything."""
    changed = json.loads(config.read_text())
    changed["measure"] = changed.get("measure", {}) | {"seed": seed}
    changed.pop("$schema", None)
    path = folder / config.name
    path.write_text(json.dumps(changed))
    return path


def measure_round(folder, config, number):
    path = folder / f"round-{number:02}.json"
    generator = random.Random(f"round-{number}")
    heads = list(ROUND)
    generator.shuffle(heads)
    results = {}
    with tempfile.TemporaryDirectory() as name:
        made = Path(name) / "result.json"
        for head in ["base", *heads]:
            start = time.time()
            with burst(seconds, generator) if head == "burst" else contextlib.nullcontext():
                command = [BUILD / "breakeven", "run", config, "--out", made, "--quiet"]
                subprocess.run([str(word) for word in command], env=os.environ | ROUND.get(head, {}), check=True)
            results[head] = json.loads(made.read_text())
            seconds = time.time() - start
    keep(results, path)
    print(f"{path.name}: {seconds:.0f} s a run", flush=True)


def count_in(summary, name):
    if name == "round":
        return max((tool["same"]["runs"] for tool in summary["usual"].values()), default=0)
    return len(summary["gates"].get(name, []))


def measure(folder, config, only, minutes, besides):
    folder.mkdir(parents=True, exist_ok=True)
    wanted = {name: e.wanted for name, e in EXPERIMENTS.items() if e.possible} | {"round": ROUNDS_WANTED}
    wanted = {name: count for name, count in wanted.items() if not only or name in only}
    end = time.monotonic() + 60 * minutes
    while time.monotonic() < end:
        done = {name: len(files_of(folder, name)) + sum(count_in(s, name) for s in besides) for name in wanted}
        name = min(wanted, key=lambda n: done[n] / wanted[n])
        if done[name] >= wanted[name]:
            return
        if name == "round":
            measure_round(folder, config, done[name] + 1)
        else:
            measure_gate(folder, config, name, done[name] + 1)


# ---- the usual tools


REPETITIONS = 10


def repetitions(samples):
    """Makes samples like Google Benchmark's: each is the mean over a period of time."""
    size = max(1, len(samples) // REPETITIONS)
    return [statistics.fmean(samples[i : i + size]) for i in range(0, size * (len(samples) // size), size)]


def google_benchmark(result):
    rows = []
    for case in result["cases"]:
        if case["status"] != "ok":
            continue
        name = f"{case['id']}/{case['backend']}"
        repeated = repetitions(case["seconds"]["samples"])
        for index, seconds in enumerate(repeated):
            rows.append(
                {"name": name, "run_name": name, "run_type": "iteration", "repetitions": len(repeated), "threads": 1,
                 "repetition_index": index, "iterations": 1, "real_time": 1e9 * seconds, "cpu_time": 1e9 * seconds,
                 "time_unit": "ns", "family_index": 0, "per_family_instance_index": 0}
            )  # fmt: skip
    return {"context": {}, "benchmarks": rows}


def found_slower_by_compare(base, head):
    """True if the U-test of Google Benchmark's compare.py finds a difference at 5 %, and the head's mean is larger."""
    with tempfile.TemporaryDirectory() as name:
        paths = [Path(name) / f"{side}.json" for side in ("base", "head", "out")]
        for path, result in zip(paths, (base, head)):
            path.write_text(json.dumps(google_benchmark(result)))
        subprocess.run(
            [*COMPARE, "-a", "-d", paths[2], "benchmarks", paths[0], paths[1]], check=True, stdout=subprocess.DEVNULL
        )
        rows = json.loads(paths[2].read_text())
    slower = {}
    for row in rows:
        if row.get("utest"):
            means = [statistics.fmean(m[key] for m in row["measurements"]) for key in ("real_time", "real_time_other")]
            slower[row["name"]] = row["utest"]["time_pvalue"] < 0.05 and means[1] > means[0]
    return slower


def found_slower_by_threshold(base, head, threshold=0.05):
    """True if the median is more than 5 % above the base's."""
    medians = [
        {f"{c['id']}/{c['backend']}": c["seconds"]["median"] for c in r["cases"] if c["status"] == "ok"} for r in (base, head)
    ]
    return {name: medians[1][name] > (1 + threshold) * medians[0][name] for name in medians[0] if name in medians[1]}


# ---- the summary of a machine


VERDICTS = ("slower", "faster", "same", "inconclusive")


def summarise(folder):
    """Summarises a folder. Every value is a count, or a list of minutes, so that machines can be added up."""
    gates = {name: verdict_files(folder, name) for name in EXPERIMENTS}
    gates = {name: all_of for name, all_of in gates.items() if all_of}
    if not gates:
        sys.exit(f"{folder}: no gate was measured there")
    first = next(iter(gates.values()))[0]
    rounds = verdict_files(folder, "round")
    return {
        "schema": "breakeven.gate-quality/1",
        "host": first["host"],
        "backends": {b["name"]: b["libraries"] for b in first["base"]["backends"] if b["available"]},
        "commits": sorted({gate.get("commit", "unknown") for all_of in gates.values() for gate in all_of}),
        "gates": {name: [counts_of_gate(gate) for gate in all_of] for name, all_of in gates.items()},
        "resampled": resampled(folder),
        "usual": {tool: counts_of_rounds(rounds, judge) for tool, judge in USUAL_TOOLS.items()} if rounds else {},
    }


def counts_of_gate(gate):
    verdicts = [case["verdict"] for case in gate["cases"]]
    return {"created": gate["created"], "minutes": round(gate["wall_seconds"] / 60, 2), "cases": len(verdicts)} | {
        verdict: verdicts.count(verdict) for verdict in VERDICTS
    }


def resampled(folder):
    command = [BUILD / "bench-gate-resampling"]
    for name in ("same", "burst", "work-5", "work-10"):
        if files := files_of(folder, name):
            command += [f"--{name}", *files]
    return json.loads(subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout)


USUAL_TOOLS = {"compare.py": found_slower_by_compare, "5 % on medians": found_slower_by_threshold}


def counts_of_rounds(rounds, judge):
    counts = {}
    for name in ROUND:
        found = [judge(one["base"], one[name]) for one in rounds]
        counts[name] = {
            "runs": len(found),
            "failing": sum(any(suite.values()) for suite in found),
            "cases": sum(map(len, found)),
            "slower": sum(sum(suite.values()) for suite in found),
        }
    return counts


# ---- the report


def bounds(events, trials):
    """Clopper and Pearson's 95 % interval."""
    low = beta.ppf(0.025, events, trials - events + 1) if events else 0.0
    high = beta.ppf(0.975, events + 1, trials - events) if events < trials else 1.0
    return low, high


def rate(events, trials):
    if not trials:
        return "none"
    low, high = bounds(events, trials)
    return f"{events} of {trials} ({100 * low:.2f} to {100 * high:.2f} %)"


def added(counts):
    """Adds up dictionaries of numbers."""
    counts = list(counts)
    return {key: sum(one[key] for one in counts) for key in counts[0]}


def report_machines(machines):
    print("| CPU | cores | libraries | live gates | rounds of runs |\n|---|---|---|---|---|")
    for m in machines:
        libraries = sorted({f"{name} {version}" for one in m["backends"].values() for name, version in one.items()})
        gates = sum(map(len, m["gates"].values()))
        print(f"| {m['host']['cpu']} | {m['host']['cores']} | {', '.join(libraries)} | {gates} | {count_in(m, 'round')} |")


def report_gates(machines):
    print("| experiment | gates | that fail | cases slower | faster | same | inconclusive | minutes, median and longest |")
    print("|---|---|---|---|---|---|---|---|")
    for name, experiment in EXPERIMENTS.items():
        gates = [gate for m in machines for gate in m["gates"].get(name, [])]
        if not gates:
            continue
        cases = sum(gate["cases"] for gate in gates)
        counts = " | ".join(rate(sum(gate[verdict] for gate in gates), cases) for verdict in VERDICTS)
        failing = rate(sum(gate["slower"] > 0 for gate in gates), len(gates))
        minutes = [gate["minutes"] for gate in gates]
        print(
            f"| {experiment.title} | {len(gates)} | {failing} | {counts} "
            f"| {statistics.median(minutes):.1f}, {max(minutes):.1f} |"
        )


def report_resampled(machines):
    print("| resampled from | gates that fail | cases slower | faster | same | inconclusive | launches a case |")
    print("|---|---|---|---|---|---|---|")
    for name, experiment in EXPERIMENTS.items():
        of_machines = [m["resampled"]["gates"][name] for m in machines if name in m["resampled"]["gates"]]
        if not of_machines:
            continue
        all_of = added(of_machines)
        counts = " | ".join(rate(all_of[verdict], all_of["cases"]) for verdict in VERDICTS)
        print(
            f"| {experiment.title} | {rate(all_of['failing'], all_of['gates'])} | {counts} "
            f"| {all_of['launches'] / all_of['cases']:.1f} |"
        )
    print("\n| true ratio | intervals that have it in them |\n|---|---|")
    for of_ratio in zip(*(m["resampled"]["coverage"] for m in machines if m["resampled"]["coverage"])):
        all_of = added(of_ratio)
        print(f"| {of_ratio[0]['ratio']:.2f} | {rate(all_of['covering'], all_of['intervals'])} |")


def report_usual(machines):
    print("| tool | experiment | runs | that fail | cases slower |\n|---|---|---|---|---|")
    for tool in USUAL_TOOLS:
        for name in ROUND:
            of_machines = [m["usual"][tool][name] for m in machines if m["usual"]]
            if not of_machines:
                continue
            all_of = added(of_machines)
            print(
                f"| {tool} | {EXPERIMENTS[name].title} | {all_of['runs']} | {rate(all_of['failing'], all_of['runs'])} "
                f"| {rate(all_of['slower'], all_of['cases'])} |"
            )


def report(paths):
    if beta is None:
        sys.exit("report needs scipy in the python3 that runs this (Debian: python3-scipy, for /usr/bin/python3)")
    machines = [json.loads(path.read_text()) for path in paths]
    for part in (report_machines, report_gates, report_resampled, report_usual):
        part(machines)
        print()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    measuring = commands.add_parser("measure", help="gates and runs, one after another")
    measuring.add_argument("folder", type=Path, help="where they are, and go")
    measuring.add_argument("--config", type=Path, default=ROOT / "configs/regression.json")
    measuring.add_argument("--minutes", type=float, default=60, help="none is begun later")
    names = [*EXPERIMENTS, "round"]
    measuring.add_argument("--only", type=lambda names: names.split(","), help=", ".join(names))
    measuring.add_argument(
        "--besides", type=Path, nargs="+", default=[], help="summaries of other machines, whose gates are not measured again"
    )
    summarising = commands.add_parser("summarise", help="what there is to count in them")
    summarising.add_argument("folder", type=Path)
    summarising.add_argument("--out", type=Path, required=True)
    reporting = commands.add_parser("report", help="Markdown of several machines' summaries")
    reporting.add_argument("summary", type=Path, nargs="+")
    o = parser.parse_args()
    if o.command == "measure":
        if unknown := set(o.only or ()) - set(names):
            parser.error(f"--only: {', '.join(sorted(unknown))}: there are {', '.join(names)}")
        measure(o.folder, o.config, o.only, o.minutes, [json.loads(path.read_text()) for path in o.besides])
    elif o.command == "summarise":
        o.out.parent.mkdir(parents=True, exist_ok=True)
        o.out.write_text(json.dumps(summarise(o.folder), indent=1) + "\n")
    else:
        report(o.summary)


if __name__ == "__main__":
    main()
