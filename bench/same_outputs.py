#!/usr/bin/env python3
"""Do two builds of breakeven write the same for the files under results/, byte for byte?

    bench/same_outputs.py OLD/breakeven build/breakeven
    bench/same_outputs.py OLD/breakeven build/breakeven many.json other.json     of these files instead

Every file is reported in every format, compared with the next file of its name, ranked with it, and searched for a
break-even; all files of a name are a fleet. Prints each command whose output, messages or status differ, and the count
of commands. Exit status: 0, or 1 if something differs. The time of a comparison is left out.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FORMATS = ["html", "csv", "markdown", "junit", "openmetrics", "annotations", "github", "google-benchmark", "bencher", "answers", "out"]
CREATED = re.compile(rb'("created": ?|datetime="|\b)20\d\d-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(Z| UTC)?')


def commands(files):
    """The commands as lists of arguments; OUT is replaced by a file to write."""
    by_name = defaultdict(list)
    for file in files:
        by_name[file.name].append(file)
    for file in files:
        yield ["report", file]
        for one in FORMATS:
            yield ["report", file, f"--{one}", "OUT"]
        yield ["report", file, "--list-charts"]
        yield ["compare", file, file]
    for alike in by_name.values():
        if len(alike) == 1:
            continue
        yield ["report", *alike]
        yield ["report", *alike, "--html", "OUT"]
        yield ["fleet", *alike, "--out", "OUT"]
        yield ["rank", *alike]
        for one in ["html", "csv", "out"]:
            yield ["rank", *alike, f"--{one}", "OUT"]
        for base, head in zip(alike, alike[1:]):
            yield ["compare", base, head]
            for one in ["html", "out", "junit"]:
                allowed = "machine,library,driver,threads,clocks,algorithm,settings"
                yield ["compare", base, head, "--allow", allowed, f"--{one}", "OUT"]
            for parameter in ["m", "batch"]:
                yield ["threshold", "--from-results", base, head, "--parameter", parameter, "--out", "OUT"]
                yield ["threshold", "--from-results", base, head, "--parameter", parameter, "--html", "OUT"]


def run(program, command, folder):
    """All that the command wrote, without the current time."""
    out = folder / "out"
    out.unlink(missing_ok=True)
    words = [str(out) if word == "OUT" else str(word) for word in command]
    done = subprocess.run([program, *words], capture_output=True, cwd=ROOT, stdin=subprocess.DEVNULL)
    written = out.read_bytes() if out.exists() else b""
    return done.returncode, *(CREATED.sub(b"", text) for text in (done.stdout, done.stderr, written))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("files", type=Path, nargs="*", help="default: all under results/")
    arguments = parser.parse_args()
    files = [file.resolve() for file in arguments.files] or sorted(ROOT.glob("results/*/*.json"))
    count, differ = 0, 0
    with tempfile.TemporaryDirectory() as name:
        for command in commands(files):
            count += 1
            old, new = (run(program.resolve(), command, Path(name)) for program in (arguments.old, arguments.new))
            if old != new:
                differ += 1
                print("differs:", *command, f"(statuses {old[0]} and {new[0]})")
    print(f"{count} commands, {differ} with another output")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
