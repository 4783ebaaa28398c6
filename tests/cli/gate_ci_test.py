"""Tests action.yml and scripts/gate.gitlab-ci.yml: runs their commands like GitHub's and GitLab's runners, and checks
that docs/gate-in-ci.md mentions only what they have."""

import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import unittest

from backend_program import BUILD, SOURCE, use_python_with
from gated_repository import ENVIRONMENT, PROGRAMS, SAME, SLOWER, GatedRepositoryTest, git, heed_interrupts

CONFIG = "the config.json"
BUILD_COMMAND = "echo building\n'./make programs'"


def read_yaml(text):
    import yaml

    return yaml.safe_load(text)


ACTION = SOURCE / "action.yml"
GITLAB = SOURCE / "scripts" / "gate.gitlab-ci.yml"


class GitHubActionTest(GatedRepositoryTest):
    def setUp(self):
        super().setUp()
        self.action = read_yaml(ACTION.read_text())
        self.output, self.summary = self.folder / "output", self.folder / "summary"

    def steps(self):
        """The action's steps by name; those without one by their place."""
        return {step.get("id", place): step for place, step in enumerate(self.action["runs"]["steps"])}

    def start(self, cwd=None, action_path=SOURCE, inputs=None, made="", **variables):
        """Starts the action's last step with these inputs, and the defaults of the others; `made` has a driver."""
        given = {"config": CONFIG, "build": BUILD_COMMAND, "programs": PROGRAMS, "driver": str(BUILD / "breakeven")}
        given.update(inputs or {})
        self.assertLessEqual(set(given), set(self.action["inputs"]))
        inputs = {name: given.get(name, declared.get("default")) for name, declared in self.action["inputs"].items()}

        def value(text):
            text = re.sub(r"\$\{\{ inputs\.([a-z-]+) \}\}", lambda match: inputs[match[1]], text)
            return re.sub(r"\$\{\{ steps\.key\.outputs\.folder \}\}", lambda match: made, text)

        step = self.steps()["gate"]
        self.assertEqual(step["shell"], "bash")
        script = self.folder / "step"
        script.write_text(step["run"])
        for file in (self.output, self.summary):
            file.write_text("")
        return subprocess.Popen(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", script],
            cwd=cwd or self.repository,
            env=self.environment(
                **{name: value(text) for name, text in step["env"].items()},
                GITHUB_ACTIONS="true",
                GITHUB_ACTION_PATH=str(action_path),
                GITHUB_OUTPUT=str(self.output),
                GITHUB_STEP_SUMMARY=str(self.summary),
                **variables,
            ),
            preexec_fn=heed_interrupts,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def end(self, running, cwd=None):
        """Waits for the step and returns its exit status."""
        try:
            self.said = running.communicate(timeout=120)[0]
        finally:
            running.kill()
        self.expect_clean(cwd)
        return running.returncode

    def run_action(self, cwd=None, **how):
        return self.end(self.start(cwd, **how), cwd)

    def outputs(self):
        """The action's outputs by name."""
        written = dict(line.split("=", 1) for line in self.output.read_text().splitlines())
        outputs = {}
        for name, declared in self.action["outputs"].items():
            outputs[name] = written[re.fullmatch(r"\$\{\{ steps\.gate\.outputs\.([a-z-]+) \}\}", declared["value"])[1]]
        return outputs

    def test_inputs_reach_the_shell_as_variables_alone(self):
        used = set()
        for step in self.steps().values():
            self.assertNotIn("${{", step.get("run", ""))
        step = self.steps()["gate"]
        for name, text in step["env"].items():
            used.add(re.fullmatch(r"\$\{\{ (inputs|steps\.key\.outputs)\.([a-z-]+) \}\}", text)[2])
            self.assertRegex(step["run"], rf'"\$({name}"|\{{DRIVER:-)|\$\{{{name}:\+', "used, and quoted")
        self.assertEqual(used, {*self.action["inputs"], "folder"})

    def test_a_pull_request_that_is_slower(self):
        self.commit(SLOWER)
        git(self.repository, "branch", "target", "HEAD~1")
        clone = self.shallow_clone()
        self.assertEqual(self.run_action(clone, GITHUB_BASE_REF="target"), 1, self.said)
        expected = {"exit-status": "1", "same": "0", "faster": "0", "slower": "2", "inconclusive": "0", "incomparable": "0", "wrong": "0"}
        self.assertEqual(self.outputs(), expected)
        self.assertIn("| **slower** | +", self.summary.read_text())
        self.assertRegex(self.said, r"(?m)^::error title=slower +\+")
        names = {"verdicts.json", "junit.xml", "summary.md"}
        self.assertEqual({path.name for path in (clone / self.action["inputs"]["reports"]["default"]).iterdir()}, names)

    def test_counts_every_verdict(self):
        self.assertEqual(self.run_action(inputs={"base": "HEAD"}), 0, self.said)
        verdicts = json.loads((self.repository / "breakeven-gate" / "verdicts.json").read_text())
        counts = [int(count) for name, count in self.outputs().items() if name != "exit-status"]
        self.assertEqual(sum(counts), len(verdicts["cases"]))
        self.assertEqual(self.outputs()["same"], "2")

    def test_a_job_that_fails_on_slower_cases_alone(self):
        (self.repository / "settings").write_text("process_noise=0.5")
        self.assertEqual(self.run_action(inputs={"base": "HEAD", "fail-on": "slower"}), 0, self.said)

    def test_a_job_that_accepts_inconclusive_cases(self):
        (self.repository / "settings").write_text("process_noise=0.5")
        self.assertEqual(self.run_until_inconclusive(inputs={"base": "HEAD"}), 3, self.said)
        self.assertEqual(self.run_until_inconclusive(inputs={"base": "HEAD", "accept": "3"}), 0, self.said)
        self.assertEqual(self.outputs()["exit-status"], "3")

    def test_accepted_cases_that_are_probably_slower_leave_a_warning(self):
        """The driver's verdicts are made up: chance decides which real cases are probably slower."""
        driver = self.folder / "driver"
        driver.write_text(
            "#!/bin/bash\n"
            'while [ $# -gt 0 ]; do case $1 in --check) exit 0 ;; --out) out=$2 ;; esac; shift; done\n'
            """printf '%s\\n' '{"reason":"probably slower (+5 %), not confirmed"},' '{"reason":"time ran out"}' >"$out"\n"""
            "exit 3\n"
        )
        driver.chmod(0o755)
        inputs = {"base": "HEAD", "accept": "3", "driver": str(driver)}
        self.assertEqual(self.run_action(inputs=inputs), 0, self.said)
        self.assertRegex(self.said, r"(?m)^::warning title=Probably slower::1 of the accepted cases; with --fail-on probable")

    def run_until_inconclusive(self, inputs):
        """Repeats the gate: of gates that see only noise, one in thirty has its whole interval below the threshold and
        is not inconclusive."""
        for _ in range(5):
            status = self.run_action(inputs=inputs)
            if self.outputs()["exit-status"] == "3":
                break
        return status

    def test_hands_on_what_the_gate_is_to_do(self):
        self.commit(SLOWER)
        inputs = {"base": "HEAD~1", "threshold": "50%", "minutes": "1", "backends": "a"}
        inputs["options"] = "--seconds  1\n--filter m=8/"
        self.assertEqual(self.run_action(inputs=inputs), 0, self.said)
        self.assertEqual(self.outputs()["same"], "1")
        for name, wrong in (("threshold", "3 apples"), ("minutes", "0"), ("backends", "b"), ("options", "--dance")):
            self.assertIn(self.run_action(inputs={**inputs, name: wrong}), (2, 4), (name, self.said))

    def test_hostile_inputs_are_no_commands(self):
        hostile = "$(touch owned)`touch owned`';touch owned;'\"\n*"
        for name in set(self.action["inputs"]) - {"build", "accept", "reports"}:
            self.run_action(inputs={"base": "HEAD", name: hostile})

    def test_says_why_there_is_no_verdict(self):
        self.commit("does not build")
        self.commit(SAME)
        self.assertEqual(self.run_action(inputs={"base": "HEAD~1"}), 4)
        # A line break would end the annotation.
        error = r"(?m)^::error title=No verdict::gate-commits: the base \w+ does not build: 'echo building%0A"
        self.assertRegex(self.said, error)
        self.assertIn("# No verdict", self.summary.read_text())
        self.assertEqual(self.outputs()["exit-status"], "4")

    def test_a_job_that_is_cancelled(self):
        self.commit("spin=1,fixed=0.002,process_noise=0.5")
        running = self.start(inputs={"base": "HEAD"})
        verdicts = self.repository / "breakeven-gate" / "verdicts.json"
        self.wait_for(lambda: verdicts.exists() and verdicts.stat().st_size > 0)
        running.send_signal(signal.SIGINT)
        self.assertEqual(self.end(running), 130, self.said)
        self.assertIn("# INCOMPLETE: it ended before every case was decided.", self.summary.read_text())

    def test_builds_the_driver_that_it_came_with(self):
        self.assertEqual(self.run_action(action_path=self.breakeven_clone(), inputs={"base": "HEAD", "driver": ""}), 0, self.said)


    def run_part(self, step, clone, **variables):
        """Runs one of the steps before the gate in a workspace that is not the action's."""
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=self.repository,
            env=self.environment(GITHUB_ACTION_PATH=str(clone), GITHUB_WORKSPACE=str(self.repository), **variables),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    def test_the_second_job_builds_no_driver(self):
        clone, found, path = self.breakeven_clone(), self.folder / "found", self.folder / "path"
        steps = list(self.steps().values())
        key, restore, make, save, _ = steps

        def known():
            found.write_text("")
            self.run_part(key, clone, GITHUB_OUTPUT=str(found))
            return dict(line.split("=", 1) for line in found.read_text().splitlines())

        first = known()
        self.assertEqual(known(), first)
        for step in (restore, save):
            self.assertEqual(step["with"], {name: f"${{{{ steps.key.outputs.{value} }}}}" for name, value in (("path", "folder"), ("key", "key"))})
        self.run_part(make, clone, GITHUB_PATH=str(path))
        driver = clone / "driver"
        self.assertEqual(path.read_text(), f"{driver}\n")
        self.assertEqual(first["folder"], str(driver))
        # The files that a cache brings to another machine, whose clone has no build folder.
        shutil.rmtree(clone / "build")
        self.run_part(make, clone, GITHUB_PATH=str(path))
        self.assertFalse((clone / "build").exists())
        self.assertEqual(self.run_action(action_path=clone, inputs={"base": "HEAD", "driver": ""}, made=str(driver)), 0, self.said)
        self.assertFalse((clone / "build").exists())
        (clone / "src" / "new.cpp").write_text("")
        self.assertNotEqual(known()["key"], first["key"])
        # In a fork of breakeven the head is the driver.
        found.write_text("")
        self.run_part(key, self.repository, GITHUB_OUTPUT=str(found))
        self.assertEqual(found.read_text(), "")


class GitLabJobTest(GatedRepositoryTest):
    def run_job(self, cwd, **variables):
        """Runs the job's script in one shell and returns its exit status."""
        (job,) = read_yaml(GITLAB.read_text()).values()
        self.assertLessEqual({name for name in variables if name.startswith("BREAKEVEN_")}, set(job["variables"]))
        for value in job["variables"].values():
            self.assertIsInstance(value, str, "as GitLab has it")
        script = "set -eo pipefail\n" + "\n".join(job["script"])
        done = subprocess.run(
            ["bash"],
            input=script,
            cwd=cwd,
            env=self.environment(**{**job["variables"], **variables}),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=120,
        )
        self.said = done.stdout
        for path in (*job["artifacts"]["paths"], *job["artifacts"]["reports"].values()):
            self.assertTrue((cwd / path).exists(), (path, self.said))
        return done.returncode

    def test_a_merge_request(self):
        breakeven = self.breakeven_clone()
        git(breakeven, "init", "--quiet")
        git(breakeven, "add", "--all")
        git(breakeven, "commit", "--quiet", "--message", "breakeven")
        variables = {
            "BREAKEVEN_REPOSITORY": breakeven.as_uri(),
            "BREAKEVEN_CONFIG": CONFIG,
            "BREAKEVEN_BUILD": BUILD_COMMAND,
            "BREAKEVEN_PROGRAMS": PROGRAMS,
            "BREAKEVEN_OPTIONS": "--threshold 3% --filter m=8.*",
            "CI_MERGE_REQUEST_DIFF_BASE_SHA": git(self.repository, "rev-parse", "HEAD"),
        }
        self.commit(SLOWER)
        self.assertEqual(self.run_job(self.repository, **variables), 1, self.said)
        self.commit(SAME)
        (self.repository / "m=8.txt").write_text("which a shell would take the filter for")
        self.assertEqual(self.run_job(self.repository, **variables), 0, self.said)
        verdicts = json.loads((self.repository / "breakeven-gate" / "verdicts.json").read_text())
        self.assertEqual(len(verdicts["cases"]), 1)


class DocumentationTest(unittest.TestCase):
    def setUp(self):
        text = (SOURCE / "docs" / "gate-in-ci.md").read_text()
        self.snippets = [read_yaml(snippet) for snippet in re.findall(r"(?ms)^```yaml\n(.*?)^```", text)]
        self.text = text

    def test_nightly_history(self):
        """Runs the workflow's commands in a repository with its programs, twice."""
        (job,) = [job for snippet in self.snippets for name, job in snippet.get("jobs", {}).items() if name == "history"]
        commands = [step["run"] for step in job["steps"] if "run" in step]
        self.assertEqual(len(commands), 2)
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(BUILD / "breakeven", os.path.join(folder, "breakeven"))
            os.makedirs(os.path.join(folder, "backends", "build"))
            os.symlink(BUILD / "breakeven-backend-reference", os.path.join(folder, "backends/build/breakeven-backend-reference"))
            with open(os.path.join(folder, "backends", "Makefile"), "w") as makefile:
                makefile.write("all:\n")
            product = {"op": "matmul", "m": 8, "n": 8, "k": 8, "dtype": "f32"}
            with open(os.path.join(folder, "gate.json"), "w") as config:
                json.dump({"backends": ["reference"], "measure": {"max_seconds": 0.1}, "workloads": [product]}, config)
            git(folder, "init", "--quiet")
            git(folder, "commit", "--quiet", "--allow-empty", "--message", "first")
            environment = {**ENVIRONMENT, "PATH": f"{folder}:{os.environ['PATH']}"}
            for _ in range(2):
                for command in commands:
                    done = subprocess.run(["bash", "-e", "-c", command], cwd=folder, env=environment, capture_output=True, text=True)
                    self.assertEqual(done.returncode, 0, (command, done.stdout, done.stderr))
            for file in ("junit.xml", "history.html"):
                self.assertTrue(os.path.exists(os.path.join(folder, file)))
            self.assertNotIn("::error", done.stdout)

    def test_workflows(self):
        action = read_yaml(ACTION.read_text())
        steps = [
            step
            for snippet in self.snippets
            for job in snippet.get("jobs", {}).values()
            for step in job["steps"]
            if "breakeven" in step.get("uses", "") or step.get("uses") == "./"
        ]
        self.assertEqual(len(steps), 3)
        for step in steps:
            self.assertLessEqual(set(step.get("with", {})), set(action["inputs"]))
        for name in (*action["inputs"], *action["outputs"]):
            self.assertIn(f"`{name}`", self.text)

    def test_gitlab(self):
        ((name, job),) = read_yaml(GITLAB.read_text()).items()
        jobs = [part for snippet in self.snippets for part in snippet.values() if "extends" in part]
        self.assertEqual(len(jobs), 1)
        self.assertEqual(jobs[0]["extends"], name)
        self.assertLessEqual(set(jobs[0]["variables"]), set(job["variables"]))
        self.assertIn(os.path.relpath(GITLAB, SOURCE), self.text)


if __name__ == "__main__":
    use_python_with("yaml", remedy="on Debian and Ubuntu: apt-get install python3-yaml")
    unittest.main()
