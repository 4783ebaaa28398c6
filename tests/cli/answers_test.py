"""Tests that docs/answers.md is the output of scripts/answers for the committed results, and for no others."""

import pathlib
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


if not shutil.which("git"):
    skip("no git")
check_result_files()
if BUILD != SOURCE / "build":
    skip("scripts/answers uses the release build")
done = subprocess.run([sys.executable, SOURCE / "scripts" / "answers", "--check"], capture_output=True, text=True)
if done.returncode != 0:
    sys.exit(done.stderr)
