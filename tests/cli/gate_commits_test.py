"""Tests scripts/gate-commits from the command line."""

import json
import os
import pty
import shlex
import signal
import subprocess
import time
import unittest

from backend_program import BUILD, SOURCE
from gated_repository import HOSTILE_BRANCH, PROGRAMS, SAME, SLOWER, GatedRepositoryTest, git, heed_interrupts

SCRIPT = SOURCE / "scripts" / "gate-commits"
DRIVER = ["--driver", BUILD / "breakeven"]
MAKE = ["--build", "'./make programs'"]
BUILT = [*MAKE, "--programs", PROGRAMS]
CONFIG = "the config.json"


class GateCommitsTest(GatedRepositoryTest):
    def start(self, *arguments, cwd=None, script=SCRIPT, **environment):
        return subprocess.Popen(
            [script, *arguments],
            cwd=cwd or self.repository,
            env=self.environment(**environment),
            preexec_fn=heed_interrupts,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def gate(self, *arguments, cwd=None, script=SCRIPT, **environment):
        running = self.start(*arguments, cwd=cwd, script=script, **environment)
        try:
            self.out, self.error = running.communicate(timeout=120)
        finally:
            running.kill()
        self.expect_clean(cwd)
        return running.returncode

    def gate_with(self, *options, cwd=None, **environment):
        return self.gate(*DRIVER, *BUILT, *options, CONFIG, "--minutes", "1", cwd=cwd, **environment)

    def test_a_slower_head_fails_and_is_named(self):
        self.commit(SLOWER)
        self.assertEqual(self.gate_with("--base", "HEAD~1", "--reports", "breakeven-gate"), 1, self.error)
        self.assertIn("slower", self.out)
        reports = self.repository / "breakeven-gate"
        summary = (reports / "summary.md").read_text()
        self.assertIn("| **slower** | +", summary)
        self.assertIn("matmul 16 x 16 x 16 f32 on a", summary)
        self.assertIn(f"{self.base} \"{SAME}\"".replace("_", r"\_"), summary)
        self.assertNotIn(str(self.scratch), summary)
        verdicts = json.loads((reports / "verdicts.json").read_text())
        self.assertEqual([case["verdict"] for case in verdicts["cases"]], ["slower"] * 2)
        paths = [verdicts[side]["source"] for side in ("base", "head")]
        self.assertNotEqual(*paths)
        self.assertEqual(*(len(os.fsencode(path)) for path in paths), "times depend on the length of a path")
        self.assertIn("<testsuite", (reports / "junit.xml").read_text())

    def test_the_same_head_passes(self):
        self.commit(SAME)
        self.assertEqual(self.gate_with("--base", "HEAD~1"), 0, self.error)
        self.assertIn("PASS: none of 2 cases is slower", self.out)

    def test_what_is_not_committed_takes_part_and_is_left_alone(self):
        (self.repository / "settings").write_text(SLOWER)
        (self.repository / "new file").write_text("mine")
        git(self.repository, "add", "new file")
        before = git(self.repository, "status", "--porcelain")
        self.assertEqual(self.gate_with("--base", "HEAD"), 1, self.error)
        self.assertEqual(git(self.repository, "status", "--porcelain"), before)
        self.assertEqual((self.repository / "settings").read_text(), SLOWER)
        self.assertIn(f"working tree on {self.base} ", self.out)

    def test_both_sides_have_the_names_of_their_commits(self):
        head = self.commit(SLOWER)
        self.assertEqual(self.gate_with("--base", "HEAD~1", "--reports", "breakeven-gate"), 1, self.error)
        verdicts = json.loads((self.repository / "breakeven-gate" / "verdicts.json").read_text())
        self.assertEqual(verdicts["base"]["name"], f'{self.base} "{SAME}"')
        self.assertEqual(verdicts["head"]["name"], f'{head} "{SLOWER}"')
        (self.repository / "untracked").write_text("new")
        self.assertEqual(self.gate_with("--base", "HEAD~1"), 1, self.error)
        self.assertIn(f"working tree on {head} ", self.out)

    def test_a_side_that_does_not_build(self):
        for settings, head, base in [
            ("does not build", "the head does not build", "does not build: ''./make programs'' ended with status 9"),
            ("no programs", "the head has no program", "has no program breakeven-backend-NAME in built programs"),
        ]:
            with self.subTest(settings):
                self.commit(settings)
                self.assertEqual(self.gate_with("--base", self.base), 2)
                self.assertIn(head, self.error)
                self.commit(SAME)
                self.assertEqual(self.gate_with("--base", "HEAD~1"), 4)
                self.assertIn(base, self.error)
                self.assertIn("nothing to compare with", self.error)

    def test_no_verdict_of_another_run_is_left_where_there_is_none(self):
        reports = self.repository / "breakeven-gate"
        reports.mkdir()
        (reports / "verdicts.json").write_text("{}")
        self.commit("does not build")
        self.assertEqual(self.gate_with("--base", self.base, "--reports", "breakeven-gate"), 2)
        self.assertEqual(list(reports.iterdir()), [])

    def test_programs_that_are_not_built_but_kept(self):
        git(self.repository, "rm", "--quiet", ".gitignore")
        for settings in (SAME, SLOWER):
            (self.repository / "settings").write_text(settings)
            subprocess.run(["./make programs"], cwd=self.repository, check=True)
            self.commit(settings)
        self.assertEqual(self.gate(*DRIVER, "--programs", PROGRAMS, "--base", "HEAD~1", CONFIG), 1, self.error)

    def test_every_line_of_a_build_must_succeed(self):
        self.assertEqual(self.gate(*DRIVER, *BUILT, "--build", "false\n'./make programs'", "--base", "HEAD", CONFIG), 2)

    def test_names_are_no_commands(self):
        git(self.repository, "branch", HOSTILE_BRANCH)
        self.commit(SLOWER)
        self.assertEqual(self.gate_with("--base", HOSTILE_BRANCH), 1, self.error)
        clone = self.shallow_clone()
        self.assertEqual(self.gate_with("--base", HOSTILE_BRANCH, cwd=clone), 1, self.error)
        self.assertEqual(self.gate_with(cwd=clone, GITHUB_BASE_REF=HOSTILE_BRANCH), 1, self.error)

    def test_runs_in_a_subfolder(self):
        folder = self.repository / "sub folder"
        folder.mkdir()
        self.assertEqual(self.gate(*DRIVER, *BUILT, "--base", "HEAD", f"../{CONFIG}", cwd=folder), 0, self.error)

    # ---- the choice of the base

    def branch_behind_main(self):
        """Both branches are faster than their common base, main by more."""
        git(self.repository, "checkout", "--quiet", "-b", "feature")
        self.commit(SAME + ",factor=1")
        git(self.repository, "checkout", "--quiet", "main")
        for number in range(3):
            self.commit(SAME + f",factor=0.{9 - number}")
        git(self.repository, "checkout", "--quiet", "feature")

    def test_a_branch_is_not_blamed_for_what_its_target_gained(self):
        self.branch_behind_main()
        self.assertEqual(self.gate_with("--base", "main"), 1, self.error)
        self.assertEqual(self.gate_with("--target", "main"), 0, self.error)
        self.assertIn(f"the base, {self.base}", self.error)

    def test_finds_the_base_of_a_pull_request_in_a_shallow_checkout(self):
        self.branch_behind_main()
        git(self.repository, "checkout", "--quiet", "-b", "merge", "main")
        target = git(self.repository, "rev-parse", "--short", "main")
        git(self.repository, "merge", "--quiet", "--strategy", "ours", "feature")
        git(self.repository, "checkout", "--quiet", "main")
        self.commit(SAME + ",factor=0.5")  # made after the merge
        for branch, base in (("merge", target), ("feature", self.base)):
            with self.subTest(branch):
                clone = self.shallow_clone(branch)
                self.assertEqual(self.gate_with(cwd=clone, GITHUB_BASE_REF="main"), 0, self.error)
                self.assertIn(f"the base, {base}", self.error)
                subprocess.run(["rm", "-rf", clone], check=True)

    def test_finds_the_base_of_a_merge_request(self):
        self.branch_behind_main()
        main, full = git(self.repository, "rev-parse", "main"), git(self.repository, "rev-parse", "feature~1")
        self.assertEqual(self.gate_with(CI_MERGE_REQUEST_DIFF_BASE_SHA=full, CI_MERGE_REQUEST_TARGET_BRANCH_SHA=""), 0)
        self.assertIn(f"the base, {self.base}", self.error)
        self.assertEqual(self.gate_with(CI_MERGE_REQUEST_DIFF_BASE_SHA=full, CI_MERGE_REQUEST_TARGET_BRANCH_SHA=main), 1)

    def test_fetches_what_a_shallow_checkout_lacks(self):
        first, v1 = self.base, self.commit(SAME)
        git(self.repository, "tag", "v1")
        commit = git(self.repository, "rev-parse", "HEAD")
        for number in range(70):
            self.commit(SLOWER + f",seed={number + 1}")
        for base in ("v1", "origin/main~70", commit, "HEAD~70"):
            with self.subTest(base):
                clone = self.shallow_clone()
                (clone / "settings").write_text(SAME)
                if base.startswith("origin/"):
                    git(clone, "fetch", "--quiet", "--depth", "1", "origin", "main:refs/remotes/origin/main")
                self.assertEqual(self.gate_with("--base", base, cwd=clone), 0, self.error)
                self.assertIn(f"the base, {v1}", self.error)
                if base in ("v1", commit):  # and nothing more
                    self.assertNotIn(first, git(clone, "rev-list", "--all", "--abbrev-commit", "FETCH_HEAD"))
                subprocess.run(["rm", "-rf", clone], check=True)

    def test_a_base_that_cannot_be_had(self):
        self.assertEqual(self.gate_with("--base", "v2"), 2)
        self.assertIn("--base v2: is no commit here or on origin", self.error)
        clone = self.shallow_clone()
        self.assertEqual(self.gate_with("--target", "v2", cwd=clone), 2)
        self.assertIn("--target v2: is no commit here or on origin; give another, or fetch it before", self.error)
        git(self.repository, "checkout", "--quiet", "--orphan", "other")
        self.commit(SLOWER)
        self.assertEqual(self.gate_with("--target", "other", cwd=clone), 2)
        self.assertIn("no commit that the head has in common", self.error)

    def test_without_a_base(self):
        self.assertEqual(self.gate_with(), 2)
        self.assertIn("compare with what?", self.error)

    # ---- other parts of the command

    def test_accepts_a_status(self):
        (self.repository / "settings").write_text("process_noise=0.5")
        # With noise alone, some gate of many is not slower but inconclusive.
        self.assertIn(3, (self.gate_with("--base", "HEAD") for _ in range(10)))
        accepted = (self.gate_with("--base", "HEAD", "--accept", "4, 3") == 0 and "status 3, which is accepted" in self.error for _ in range(10))
        self.assertTrue(any(accepted))
        (self.repository / "settings").write_text(SLOWER)
        self.assertEqual(self.gate_with("--base", "HEAD", "--accept", "3"), 1)

    def test_checks_before_it_builds(self):
        for arguments, error in [
            (["the confg.json"], "did you mean 'the config.json'?"),
            ([CONFIG, "--minute", "1"], "--minute"),
            ([CONFIG, "--filter", "nothing"], "finds none of the cases"),
        ]:
            with self.subTest(arguments=arguments):
                build = ["--build", "touch built; './make programs'"]
                self.assertEqual(self.gate(*DRIVER, *BUILT, *build, "--base", "HEAD", *arguments), 2)
                self.assertIn(error, self.error)
                self.assertFalse((self.repository / "built").exists())

    def test_a_missing_config_is_found_before_the_driver_is_built(self):
        script = self.breakeven_clone() / "scripts" / "gate-commits"
        self.assertEqual(self.gate(*BUILT, "--base", "HEAD", "nosuch.json", script=script), 2)
        self.assertIn("nosuch.json: there is no such config", self.error)
        self.assertNotIn("breakeven itself", self.error)

    def test_its_options_stand_anywhere(self):
        self.commit(SLOWER)
        order = [CONFIG, *DRIVER, "--minutes", "1", *BUILT, "--reports=breakeven-gate", "--base", "HEAD~1"]
        self.assertEqual(self.gate(*order), 1, self.error)
        self.assertTrue((self.repository / "breakeven-gate" / "verdicts.json").exists())

    def test_hands_its_options_to_the_gate(self):
        self.commit(SLOWER)
        built = [*DRIVER, *BUILT, "--base", "HEAD~1"]
        self.assertEqual(self.gate(*built, "--", CONFIG, "--threshold", "50%"), 0, self.error)
        self.assertEqual(self.gate(*built, CONFIG, "--threshold", "3 apples"), 2)
        self.assertIn("neither a percentage", self.error)

    def test_refuses_what_it_cannot_do(self):
        for arguments, error in [
            ([], "which config?"),
            ([""], "which config?"),
            (["--threshold", "3%", CONFIG], "unknown option --threshold; options of `breakeven gate` come after the config"),
            (["--base"], "--base needs a value"),
            ([*DRIVER, "--base", "HEAD", CONFIG], "--programs: in which folder of"),
            ([*DRIVER, "--base", "HEAD", "--programs", "/tmp", CONFIG], "--programs /tmp: must be seen from"),
            ([*DRIVER, *BUILT, "--base", "--help", CONFIG], "--base --help: is no commit"),
            ([*DRIVER, *BUILT, "--base", "HEAD", "--accept", "inconclusive", CONFIG], "--accept inconclusive: must be"),
            ([*BUILT, "--base", "HEAD", "--driver", "/nowhere/breakeven", CONFIG], "--driver: is no program"),
            ([*DRIVER, *BUILT, "--base", "HEAD", "--reports", "settings", CONFIG], "--reports settings: cannot be made"),
        ]:
            with self.subTest(arguments=arguments):
                self.assertEqual(self.gate(*arguments), 2)
                self.assertIn("gate-commits: " + error, self.error)

    def test_surroundings_that_fail_are_no_verdict(self):
        for name, expected, options, environment in [
            ("no scratch folder", 2, [], {"TMPDIR": "/nonexistent"}),
            ("a report that is a folder", 2, ["--reports", "reports"], {}),
            ("a summary that takes nothing", 0, ["--reports", "breakeven-gate"], {"GITHUB_STEP_SUMMARY": "/dev/full"}),
            ("outputs that cannot be made", 0, ["--reports", "breakeven-gate"], {"GITHUB_OUTPUT": "/nonexistent/outputs"}),
            ("CDPATH", 0, ["--reports", "breakeven-gate"], {"CDPATH": "."}),
        ]:
            with self.subTest(name):
                (self.repository / "reports" / "summary.md").mkdir(parents=True, exist_ok=True)
                self.assertEqual(self.gate_with("--base", "HEAD", *options, **environment), expected, self.error)
                self.assertEqual("cannot be written" in self.error, any(key.startswith("GITHUB") for key in environment), self.error)
        self.assertTrue((self.repository / "breakeven-gate" / "verdicts.json").exists())
        git(self.repository, "checkout", "--quiet", "--orphan", "new")
        self.assertEqual(self.gate_with("--base", "main"), 2)
        self.assertIn("there is no commit", self.error)

    def test_a_build_that_asks_at_the_terminal_gets_an_error(self):
        """In the background it would be stopped, and be waited for."""
        script = f"cd {shlex.quote(str(self.repository))} && {shlex.quote(str(SCRIPT))} --driver {BUILD}/breakeven --programs p --base HEAD --build 'read -r x </dev/tty' {shlex.quote(CONFIG)}"
        status = pty.spawn(["bash", "-c", f"export TMPDIR={self.scratch}; {script} >/dev/null 2>&1"])
        self.assertEqual(os.waitstatus_to_exitcode(status), 2)
        self.expect_clean()

    def test_what_a_filter_leaves_running_is_not_waited_for(self):
        git(self.repository, "config", "filter.slow.smudge", "sh -c 'cat; sleep 60 </dev/null >/dev/null 2>&1 &'")
        (self.repository / ".gitattributes").write_text("settings filter=slow\n")
        self.commit(SAME)
        start = time.monotonic()
        self.assertEqual(self.gate_with("--base", "HEAD"), 0, self.error)
        self.assertLess(time.monotonic() - start, 50)

    def test_help_names_every_option(self):
        self.assertEqual(self.gate("--help"), 0)
        for option in ("--base", "--target", "--build", "--programs", "--driver", "--reports", "--accept", "Exit status"):
            self.assertIn(option, self.out)

    def test_outside_of_a_repository(self):
        running = self.start(*DRIVER, *BUILT, CONFIG, cwd=self.folder, GIT_CEILING_DIRECTORIES=str(self.folder.parent))
        self.assertIn("this is no git repository", running.communicate()[1])
        self.assertEqual(running.returncode, 2)

    def test_builds_the_driver_of_its_own_clone(self):
        clone = self.breakeven_clone()
        self.assertEqual(self.gate(*BUILT, "--base", "HEAD", CONFIG, script=clone / "scripts" / "gate-commits"), 0, self.error)
        (clone / "CMakeLists.txt").write_text("rubbish(")
        self.assertEqual(self.gate(*BUILT, "--base", "HEAD", CONFIG, script=clone / "scripts" / "gate-commits"), 2)
        self.assertIn(f"breakeven in {clone} does not build", self.error)

    def test_in_breakevens_own_repository_it_needs_a_base_only(self):
        self.repository = self.repository.rename(self.folder / "own")  # CMake requires the same name
        for path in self.breakeven_clone().iterdir():
            path.rename(self.repository / path.name)
        with open(self.repository / ".gitignore", "a", encoding="ascii") as ignored:
            ignored.write("/build/\n")
        self.commit(SAME)
        self.commit(SLOWER)
        script = self.repository / "scripts" / "gate-commits"
        self.assertEqual(self.gate("--base", "HEAD~1", CONFIG, script=script), 1, self.error)

    # ---- interruptions

    def end(self, running, number, again_after=None):
        """Sends a signal to this process alone, as CI runners do, perhaps twice, and returns its exit status."""
        running.send_signal(number)
        if again_after is not None:
            time.sleep(again_after)
            running.send_signal(number)
        try:
            self.out, self.error = running.communicate(timeout=60)
        finally:
            running.kill()
        return running.returncode

    def test_interrupted_while_it_builds_the_base(self):
        self.commit(SAME)
        started = self.folder / "started"
        build = """[ "$PWD" = "$HEAD_FOLDER" ] || { echo $$ >"$STARTED"; sleep 300 & sleep 300; }; './make programs'"""
        folders = {"HEAD_FOLDER": str(self.repository), "STARTED": str(started)}
        for number, again_after in [(signal.SIGINT, None), (signal.SIGTERM, None), (signal.SIGINT, 0), (signal.SIGTERM, 0.02)]:
            with self.subTest(number=number, again_after=again_after):
                running = self.start(*DRIVER, *BUILT, "--build", build, "--base", "HEAD~1", CONFIG, **folders)
                self.wait_for(lambda: started.exists() and started.read_text().endswith("\n"))
                group = int(started.read_text())
                self.assertEqual(self.end(running, number, again_after), 130, self.error)
                self.expect_clean()
                self.wait_for(lambda: not is_alive(group))
                started.unlink()

    def test_interrupted_while_it_gates(self):
        """A second signal right after the first does not kill what has to save its verdicts."""
        self.commit("spin=1,fixed=0.002,process_noise=0.5")
        verdicts = self.repository / "breakeven-gate" / "verdicts.json"
        for again_after in (None, 0, 0.05):
            with self.subTest(again_after=again_after):
                running = self.start(*DRIVER, *BUILT, "--base", "HEAD", "--reports", "breakeven-gate", CONFIG)
                self.wait_for(lambda: verdicts.exists() and verdicts.stat().st_size > 0)
                self.assertEqual(self.end(running, signal.SIGINT, again_after), 130, self.error)
                self.expect_clean()
                self.assertFalse(json.loads(verdicts.read_text())["complete"])
                self.assertIn("| ", (verdicts.parent / "summary.md").read_text())
                verdicts.unlink()


def is_alive(group):
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


if __name__ == "__main__":
    unittest.main()
