"""Checks action.yml, the GitLab job, and the examples in docs/gate-in-ci.md with check-jsonschema (PyPI), which
contains the schemas that GitHub's and GitLab's editors use; scripts/setup-schemas installs it."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from backend_program import SOURCE, skip

DATA = os.environ.get("XDG_DATA_HOME") or pathlib.Path.home() / ".local" / "share"
INSTALLED = pathlib.Path(DATA, "breakeven", "check-jsonschema", "bin", "check-jsonschema")
CHECK = INSTALLED if INSTALLED.exists() else shutil.which("check-jsonschema")

ACTION = ["--builtin-schema", "vendor.github-actions"]
WORKFLOW = ["--builtin-schema", "vendor.github-workflows"]
GITLAB = ["--builtin-schema", "vendor.gitlab-ci", "--data-transform", "gitlab-ci"]


def complaint(schema, path):
    """The objections of the schema; empty if there are none."""
    done = subprocess.run([CHECK, *schema, path], capture_output=True, text=True, timeout=120)
    return "" if done.returncode == 0 else done.stdout + done.stderr


class CheckJsonschemaTest(unittest.TestCase):
    def test_the_action(self):
        self.assertEqual(complaint(ACTION, SOURCE / "action.yml"), "")

    def test_the_gitlab_job(self):
        self.assertEqual(complaint(GITLAB, SOURCE / "scripts" / "gate.gitlab-ci.yml"), "")

    def test_the_examples(self):
        text = (SOURCE / "docs" / "gate-in-ci.md").read_text()
        snippets = re.findall(r"(?ms)^```yaml\n(.*?)^```", text)
        self.assertEqual(len(snippets), 4)
        with tempfile.TemporaryDirectory() as folder:
            for snippet in snippets:
                path = pathlib.Path(folder, "snippet.yml")
                path.write_text(snippet)
                self.assertEqual(complaint(WORKFLOW if "\njobs:" in snippet else GITLAB, path), "", snippet)

    def test_finds_what_is_wrong(self):
        text = (SOURCE / "action.yml").read_text()
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "action.yml")
            path.write_text(text.replace("shell: bash", "shel: bash"))
            self.assertIn("shel", complaint(ACTION, path))


if __name__ == "__main__":
    if CHECK is None:
        skip("no check-jsonschema; scripts/setup-schemas installs it")
    unittest.main()
