"""Result files, and the output of `breakeven report` for them, for tests with other programs."""

import copy
import json
import os
import subprocess

from backend_program import BUILD, SIMULATED

# Names that have broken one format or another.
HOSTILE = [
    "",
    'quote " and \\ and \'',
    "<b>&amp;</b>]]><!--",
    "two\nlines\r\n# EOF\n",
    "escape \x1b[2J nul \0 delete \x7f",
    "noncharacters \ufffe \uffff",
    '"},{"name":"',
    "}\n} 1\n",
    "__proto__",
    "=1+1|x`y`",
    "x" * 5000,
    "x" * 5000 + "y",
    "é" * 600,
    "same",
    "same\x01",
    "same/a (2)",
    "\u202eturned\u2066",
]
STATUSES = ["wrong", "implausible", "unsupported", "out_of_memory", "failed", "timed_out", "interrupted"]


def breakeven(*arguments, **environment):
    command = [BUILD / "breakeven", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment}, timeout=120)


def measured(folder, factor=1):
    """The file of a run on simulated backends a and b, `factor` times as slow as usual: an inference, and three
    products, one of them wrong on b. It is measured once in a folder."""
    result = folder / f"result-{factor}.json"
    if result.exists():
        return result
    programs = folder / "programs"
    if not programs.exists():
        programs.mkdir()
        for name in ("a", "b"):
            (programs / f"breakeven-backend-{name}").symlink_to(SIMULATED)
    config = folder / "config.json"
    product = {"op": "matmul", "m": [8, 16, 24], "n": "m", "k": "m", "dtype": "f32"}
    inference = {"op": "infer", "network": "mlp", "batch": 4, "dtype": "f32"}
    config.write_text(
        json.dumps(
            {"backends": ["a", "b"], "measure": {"max_seconds": 1, "timeout_seconds": 20}, "workloads": [product, inference]}
        )
    )
    run = breakeven(
        *("run", config, "--out", result, "--quiet"),
        BREAKEVEN_BACKENDS=str(programs),
        BREAKEVEN_SIMULATED=f"noise=0.01,seed=7,factor={factor},fault=nan,at=verify,backend=b,case=m=16",
    )
    if run.returncode != 1:
        raise RuntimeError(f"status {run.returncode} of: {run.stderr}")
    return result


def hostile(folder):
    """A file with such names in all places, and a case of every status."""
    run = json.loads(measured(folder).read_text())
    pattern = next(case for case in run["cases"] if case["status"] == "ok")
    run["cases"] = []
    for name in HOSTILE:
        case = copy.deepcopy(pattern)
        for key in ("id", "label", "op", "dtype", "algorithm"):
            case[key] = name
        case["params"]["dtype"] = name
        run["cases"].append(case)
    for status in STATUSES:
        case = copy.deepcopy(pattern)
        case.update(op="future", id="status", backend=status, status=status, reason=HOSTILE[2] + HOSTILE[3], seconds=None)
        case.update(warnings=HOSTILE, notes=[], verify=None, gflops=None, gbps=None)
        run["cases"].append(case)
    for key, number, seconds in (("smallest", 5e-324, 1e-10), ("largest", 1.7e308, 1e7)):
        case = copy.deepcopy(pattern)
        case.update(op="future", id=key, joules=max(number, 1e-15), cpu_seconds=min(number, seconds), flop=number, gflops=None, gbps=None)
        case["seconds"] = {"median": seconds, "ci_low": seconds, "ci_high": seconds, "samples": [seconds], "launches": [1], "iterations": 1}
        run["cases"].append(case)
    for key in ("name", "os", "kernel", "cpu"):
        run["host"][key] = "\n".join(HOSTILE[:8])
    run["tool"]["version"] = HOSTILE[1]
    run["complete"] = False
    path = folder / "hostile.json"
    path.write_text(json.dumps(run))
    return path


def report(form, *results):
    """The output of `report --FORM`, which must succeed and be UTF-8."""
    done = breakeven("report", *results, f"--{form}", "-")
    if done.returncode != 0:
        raise RuntimeError(f"status {done.returncode} of: {done.stderr}")
    return done.stdout


def strict_json(text):
    """Parses JSON without NaN and Infinity, and without duplicate keys: Python's parser accepts all of these."""

    def unique(pairs):
        made = dict(pairs)
        if len(made) < len(pairs):
            raise ValueError(f"a key is there twice among {[key for key, _ in pairs]}")
        return made

    def refuse(word):
        raise ValueError(f"{word} is not JSON")

    return json.loads(text, object_pairs_hook=unique, parse_constant=refuse)
