"""Tests that docs/answers.md is the output of scripts/answers for the committed results, and for no others."""

import csv
import io
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from backend_program import BUILD, SOURCE, load_script, skip


def names_of_result_files(root):
    answers = load_script("answers")
    answers.ROOT, answers.RESULTS = root, root / "results"
    return [str(path.relative_to(root)) for path in answers.result_files()]


def check_result_files():
    """Results that were measured in a clone are not answers of the project, and git ignores them."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name in ("machine/matmul.json", "here/quick.json"):
            (root / "results" / name).parent.mkdir(parents=True)
            (root / "results" / name).write_text("{}")
        assert names_of_result_files(root) == ["results/here/quick.json", "results/machine/matmul.json"], "without git"
        shutil.copy(SOURCE / "results" / ".gitignore", root / "results")

        def git(*words):
            return subprocess.run(["git", *words], cwd=root, check=True, capture_output=True, text=True).stdout

        git("init", "--quiet")
        git("add", "--force", "results/machine")
        git("add", ".")
        assert names_of_result_files(root) == ["results/machine/matmul.json"], "in a clone"
        seen = git("status", "--porcelain")
        assert "here" not in seen, seen


def row(backend, seconds, spread=0.01, problem="matmul/m=64/f32", device="cpu", **more):
    bounds = {"seconds_ci_low": str(seconds * (1 - spread)), "seconds_ci_high": str(seconds * (1 + spread))} if spread else {}
    identity = {"machine": "m", "device": device, "id": problem, "dtype": problem.rsplit("/", 1)[1], "op": "matmul", "status": "ok"}
    return {"backend": backend, "seconds": str(seconds), "samples_per_iteration": "0", **identity, **bounds, **more}


def check_decisions():
    """A claim holds in a case where the intervals of both times are apart, and nowhere else."""
    answers = load_script("answers")
    claim = answers.Claim("Frameworks cost more", [], answers.frameworks, "the framework is slower")

    def said(rows, changing=()):
        comparisons = sorted(claim.decide(rows), key=lambda one: one.value)
        return answers.decided(claim, comparisons, list(changing)).text

    slower = [row("onednn", 1), row("openblas", 3), row("pytorch", 1.5), row("jax", 9)]
    assert said(slower) == (
        "**Holds** on processors; not compared yet on a GPU: the framework is slower by more than 3 % in 1 of 1 case. The factor is 1.5x."
    ), said(slower)
    assert said(slower, ["break-even"]).startswith("**Depends**"), "where some values do not support it"
    overlapping = [row("onednn", 1, spread=0.3, problem="matmul/m=8/f32"), row("pytorch", 1.5, spread=0.3, problem="matmul/m=8/f32")]
    both = said(slower + overlapping)
    assert both.startswith("**Depends**") and "in 1 of 2 cases" in both and "in 1 case the difference is smaller, or the intervals overlap" in both, both
    assert said(overlapping).startswith("**Does not hold**"), "a median alone shows nothing"
    unknown = [row("onednn", 1, spread=0), row("pytorch", 1.1, spread=0)]
    assert said(unknown).startswith("**Does not hold**"), "without intervals, 1.1x may be noise"
    faster = [row("onednn", 2, problem="matmul/m=8/f32", device="gpu"), row("pytorch", 1, problem="matmul/m=8/f32", device="gpu")]
    assert "GPUs and processors" in said(slower + faster) and "the opposite holds in 1" in said(slower + faster), said(slower + faster)
    assert not claim.decide([row("onednn", 1, device="gpu"), row("pytorch", 2)]), "devices are not compared"

    claim = answers.Claim("Lower precision", [], answers.lower_precision, "it is faster")
    dtypes = [row("onednn", seconds, problem=f"matmul/m=64/{dtype}") for dtype, seconds in (("f32", 4), ("bf16", 1), ("f16", 5), ("f64", 8))]
    assert "(bf16 1 of 1, f16 0 of 1)" in said(dtypes), said(dtypes)


def time_text(seconds):
    """As reports write it: three significant digits."""
    unit, size = next((u, s) for u, s in (("s", 1), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9)) if float(f"{seconds:.3g}") >= s)
    value = float(f"{seconds / size:.3g}")
    return f"{value:.{2 if value < 10 else 1 if value < 100 else 0}f} {unit}"


def check_readme():
    """The first table of README has the times of the files that the comment below it names: the fastest backend's of each device."""
    text = (SOURCE / "README.md").read_text()
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if re.match(r"\|.* µs|\|.* ms", line)]
    command, *cases = re.search(r"<!-- breakeven (report .*? --csv -)\n(.*?) -->", text, re.DOTALL).group(0)[5:-4].splitlines()
    made = subprocess.run(["bash", "-c", f'"{BUILD}"/{command}'], cwd=SOURCE, check=True, capture_output=True, text=True).stdout
    fastest = {}
    for result in csv.DictReader(io.StringIO(made)):
        # The two machines are compared: of the GPU's machine, its processors are not.
        if result["status"] == "ok" and result["seconds"] and (result["device"] == "gpu" or result["machine"].startswith("Zen 5")):
            key = (result["id"], result["device"])
            fastest[key] = min(float(result["seconds"]), fastest.get(key, float("inf")))
    assert len(rows) == len(cases) > 3, (rows, cases)
    for (_, cpu, gpu, said), ids in zip(rows, cases):
        on_cpu, on_gpu = (fastest[case, device] for case, device in zip(ids.split(), ("cpu", "gpu")))
        assert (cpu, gpu) == (time_text(on_cpu), time_text(on_gpu)), (cpu, gpu, on_cpu, on_gpu)
        factor = max(on_cpu, on_gpu) / min(on_cpu, on_gpu)
        wanted = f"{'two cores' if on_cpu < on_gpu else 'GPU'} {factor:.{0 if factor >= 9.95 else 1}f}x as fast"
        assert said == wanted, (said, wanted)


if not shutil.which("git"):
    skip("no git")
check_result_files()
check_decisions()
check_readme()
if BUILD != SOURCE / "build":
    skip("scripts/answers uses the release build")
done = subprocess.run([sys.executable, SOURCE / "scripts" / "answers", "--check"], capture_output=True, text=True)
if done.returncode != 0:
    sys.exit(done.stderr)
