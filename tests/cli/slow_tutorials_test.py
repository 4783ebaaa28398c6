"""The tutorials under docs/: each block marked `sh run` is run in order, in a copy of the repository's files.

Only the configs are changed, so that measuring takes seconds, beside other tests too: those that come with the
repository are smaller in the copy, and all of them measure shortly and do not wait for a quiet machine."""

import json
import os
import re
import shutil
import subprocess
import unittest

from backend_program import BUILD, SOURCE, FolderTest, skip

QUICK = {"max_seconds": 0.02, "precision": 0.5, "own_speed": "ignored"}
NEEDED = ["openblas", "onednn"]


def smaller(value):
    """The first value of a list, and the first two of a range."""
    if isinstance(value, list):
        return value[:1]
    if isinstance(value, dict) and "factor" in value:
        return {**value, "to": value["from"] * value["factor"]}
    return value


def make_smaller(path):
    config = json.loads(path.read_text())
    if "workloads" not in config or "properties" in config:
        return  # a schema, or a catalogue
    measure = {key: value for key, value in config.get("measure", {}).items() if key != "launches"}
    config["measure"] = {**measure, **QUICK}
    keep = {"dtype", "or_dtype", "shapes"}
    config["workloads"] = [{k: v if k in keep else smaller(v) for k, v in w.items()} for w in config["workloads"]]
    path.write_text(json.dumps(config))


class TutorialsTest(FolderTest):
    def run_tutorial(self, name):
        """Runs a tutorial and returns the output of its blocks. They share one shell, as for a reader."""
        page = (SOURCE / "docs" / name).read_text()
        blocks = re.findall(r"(?ms)^```sh run\n(.*?)^```$", page)
        self.assertGreater(len(blocks), 1, name)
        script = "\n".join(blocks).replace('"workloads":', f'"measure": {json.dumps(QUICK)}, "workloads":')
        tree, home = self.folder / "breakeven", self.folder / "home"
        for folder in (tree, home):
            folder.mkdir()
        shutil.copytree(SOURCE / "configs", tree / "configs")
        for config in (tree / "configs").glob("*.json"):
            make_smaller(config)
        for link, target in {"build": BUILD, "docs": SOURCE / "docs", "results": SOURCE / "results"}.items():
            (tree / link).symlink_to(target)
        shutil.copytree(SOURCE / "scripts", tree / "scripts")
        identity = {f"GIT_{who}_{what}": f"{who}@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("BREAKEVEN_", "GIT_", "GITHUB_", "CI_"))}
        done = subprocess.run(
            ["bash", "-c", "set -euo pipefail\n" + script],
            cwd=tree,
            env={**clean, **identity, "HOME": str(home), "GIT_CONFIG_SYSTEM": os.devnull},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.assertEqual(done.returncode, 0, done.stdout)
        # `|| echo` in a tutorial may only ignore a verdict, not a failing command or side.
        self.assertNotRegex(done.stdout, r"exit status (?![13]\b)", done.stdout)
        self.files = {path.name for path in tree.iterdir()}
        return done.stdout

    def test_choose_a_machine(self):
        said = self.run_tutorial("choose-a-machine.md")
        self.assertIn("train/network=mlp/batch=64/f32", said)
        self.assertIn("Xeon with AMX, 2 cores takes the least cost", said)
        self.assertLessEqual({"my-machine.json", "my-machine.html", "ranking.html"}, self.files)

    def test_gate_a_change(self):
        said = self.run_tutorial("gate-a-change.md")
        self.assertIn("exit status 1", said, said)

    def test_compare_libraries(self):
        said = self.run_tutorial("compare-libraries.md")
        self.assertIn("openblas 0.", said)
        self.assertLessEqual({"libraries.json", "libraries.html", "sizes-result.json", "verdicts.json"}, self.files)


if __name__ == "__main__":
    missing = [name for name in NEEDED if not (BUILD / f"breakeven-backend-{name}").exists()]
    if missing or not shutil.which("cc") or not shutil.which("git"):
        skip(f"the tutorials need git, a C compiler and {' and '.join(NEEDED)}")
    unittest.main()
