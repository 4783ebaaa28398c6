"""Tests that scripts/gate-commits in a git hook, or in another command that git starts, leaves what the user commits alone. Git hands
its hooks variables that name the repository and the index; each way here has others."""

import shlex
import subprocess
import unittest

from backend_program import BUILD, SOURCE
from gated_repository import ENVIRONMENT, PROGRAMS, SLOWER, GatedRepositoryTest, git

SCRIPT = SOURCE / "scripts" / "gate-commits"
CONFIG = "the config.json"
# What each side was built from, and what git says there.
BUILD_COMMAND = "'./make programs'; cp f 'built programs/f'; git rev-parse HEAD >'built programs/commit'; git describe --always --dirty >/dev/null"
# In place of the driver: says which two sides it was given.
DRIVER = """#!/bin/bash
for word in "$@"; do
  case $last in --base) base=$word ;; --head) head=$word ;; esac
  last=$word
  [ "$word" != --check ] || exit 0
done
echo "$(cat "$base/f") to $(cat "$head/f"), base $(cat "$base/commit")" >>"$VERDICTS"
"""


def quoted(*words):
    return " ".join(shlex.quote(str(word)) for word in words)


class GateHooksTest(GatedRepositoryTest):
    def setUp(self):
        super().setUp()
        self.driver = self.folder / "driver"
        self.driver.write_text(DRIVER)
        self.driver.chmod(0o755)
        self.verdicts = self.folder / "verdicts"
        self.verdicts.touch()
        self.saved(self.repository, "1")
        self.saved(self.repository, "2")
        (self.repository / "sub").mkdir()

    # ---- parts

    def saved(self, folder, content):
        """Commits this content of the file f, without hooks."""
        (folder / "f").write_text(content)
        git(folder, "add", "--all")
        git(folder, "-c", "core.hooksPath=/dev/null", "commit", "--quiet", "--message", content)

    def command(self, base, *options):
        return quoted(SCRIPT, "--driver", self.driver, "--build", BUILD_COMMAND, "--programs", PROGRAMS, "--base", base, CONFIG, *options)

    def hook(self, name, base, repository=None, before=""):
        folder = git(repository or self.repository, "rev-parse", "--path-format=absolute", "--git-path", "hooks")
        file = self.folder / folder / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"#!/bin/bash\n{before}\nexec {self.command(base)}\n")
        file.chmod(0o755)

    def git(self, *arguments, cwd=None, **more):
        """Runs a git that starts the gate. Returns its exit status and sets self.error."""
        environment = self.environment(VERDICTS=str(self.verdicts), **more)
        done = subprocess.run(["git", *arguments], cwd=cwd or self.repository, env=environment, capture_output=True, text=True, timeout=120)
        self.error = done.stdout + done.stderr
        return done.returncode

    def expect(self, sides, base, content, status="", cwd=None):
        """Checks the verdicts, what HEAD has in f, and that nothing else has changed."""
        cwd = cwd or self.repository
        self.assertEqual(self.verdicts.read_text().splitlines(), [f"{side}, base {base}" for side in sides], self.error)
        self.assertEqual(git(cwd, "show", "HEAD:f"), content)
        self.assertEqual(git(cwd, "status", "--porcelain"), status)
        self.assertEqual(git(cwd, "fsck", "--no-progress", "--no-dangling"), "")
        self.expect_no_worktree(cwd)

    def expect_no_worktree(self, cwd):
        """Checks that no other worktree than the test's own, and no file, is left, and that no name was executed."""
        self.assertEqual(git(cwd, "worktree", "list", "--porcelain").count("worktree "), self.worktrees)
        self.assertEqual(list(self.scratch.iterdir()), [])
        self.assertEqual([path.name for path in self.folder.iterdir() if path.name.startswith("base-")], [])
        self.assertEqual(list(self.folder.rglob("owned")), [])

    worktrees = 1  # that the test has

    def head(self, of="HEAD", cwd=None):
        return git(cwd or self.repository, "rev-parse", of)

    def commit_through(self, hook, *arguments, base="HEAD", before=lambda: None, sides="2 to 3", status="", cwd=None):
        """A commit of f with this hook of the repository in `cwd`."""
        cwd = cwd or self.repository
        self.hook(hook, base, cwd)
        compared = self.head(cwd=cwd)
        (cwd / "f").write_text("3")
        before()
        self.assertEqual(self.git("commit", "--quiet", "--message", "three", *arguments, cwd=cwd), 0, self.error)
        self.expect([sides], compared, "3", status, cwd)

    def linked(self):
        self.worktrees = 2
        linked = self.folder / "linked"
        git(self.repository, "worktree", "add", "--quiet", "-b", "linked", linked)
        return linked

    def add(self, cwd=None):
        git(cwd or self.repository, "add", "f")

    # ---- commits

    def test_pre_commit(self):
        self.commit_through("pre-commit", before=self.add)

    def test_pre_commit_of_all(self):
        self.commit_through("pre-commit", "--all")

    def test_pre_commit_of_one_file(self):
        def stage_another():
            (self.repository / "g").write_text("staged")
            git(self.repository, "add", "g")

        self.commit_through("pre-commit", "f", before=stage_another, status="A  g")

    def test_pre_commit_of_what_is_staged_and_one_file(self):
        self.commit_through("pre-commit", "--include", "f")

    def test_pre_commit_of_a_part(self):
        """The head is the working tree, not what is staged."""
        def change_again():
            self.add()
            (self.repository / "f").write_text("4")

        self.commit_through("pre-commit", before=change_again, sides="2 to 4", status="M f")

    def test_pre_commit_of_an_amended_commit(self):
        self.commit_through("pre-commit", "--amend", "--all")
        self.assertEqual(git(self.repository, "show", "HEAD~1:f"), "1")

    def test_pre_commit_from_a_subfolder(self):
        self.hook("pre-commit", "HEAD")
        base = self.head()
        (self.repository / "f").write_text("3")
        self.assertEqual(self.git("commit", "--quiet", "--all", "--message", "three", cwd=self.repository / "sub"), 0, self.error)
        self.expect(["2 to 3"], base, "3")

    def test_pre_commit_with_variables_of_the_user(self):
        """As scripts call git from elsewhere."""
        self.hook("pre-commit", "HEAD")
        base = self.head()
        (self.repository / "f").write_text("3")
        here = {"GIT_DIR": str(self.repository / ".git"), "GIT_WORK_TREE": str(self.repository)}
        self.assertEqual(self.git("commit", "--quiet", "--all", "--message", "three", cwd=self.folder, **here), 0, self.error)
        self.expect(["2 to 3"], base, "3")

    def test_prepare_commit_msg(self):
        self.commit_through("prepare-commit-msg", "--all")

    def test_commit_msg(self):
        self.commit_through("commit-msg", "--all")

    def test_post_commit(self):
        self.commit_through("post-commit", "--all", base="HEAD~1")

    def test_post_rewrite(self):
        self.hook("post-rewrite", "HEAD~1")
        base = self.head("HEAD~1")
        (self.repository / "f").write_text("3")
        self.assertEqual(self.git("commit", "--quiet", "--all", "--amend", "--message", "three"), 0, self.error)
        self.expect(["1 to 3"], base, "3")

    def test_pre_commit_in_a_linked_worktree(self):
        linked = self.linked()
        self.commit_through("pre-commit", before=lambda: self.add(linked), cwd=linked)

    def test_pre_commit_of_all_in_a_linked_worktree(self):
        self.commit_through("pre-commit", "--all", cwd=self.linked())

    def submodule(self):
        outer = self.folder / "outer"
        outer.mkdir()
        git(outer, "init", "--quiet")
        git(outer, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", self.repository.as_uri(), "inner")
        git(outer, "commit", "--quiet", "--message", "outer")
        return outer / "inner"

    def test_pre_commit_in_a_submodule(self):
        inner = self.submodule()
        self.commit_through("pre-commit", before=lambda: self.add(inner), cwd=inner)

    def test_pre_commit_of_all_in_a_submodule(self):
        self.commit_through("pre-commit", "--all", cwd=self.submodule())

    def test_a_slower_head_is_not_committed(self):
        """With the driver itself. What was to be committed stays as it was."""
        self.driver.unlink()
        self.driver.symlink_to(BUILD / "breakeven")
        self.hook("pre-commit", "HEAD")
        before = self.head()
        (self.repository / "settings").write_text(SLOWER)
        self.assertEqual(self.git("commit", "--quiet", "--all", "--message", "slower"), 1, self.error)
        self.assertIn("FAIL", self.error)
        self.assertEqual(self.head(), before)
        self.assertEqual(git(self.repository, "status", "--porcelain"), "M settings")
        self.expect_no_worktree(self.repository)

    # ---- what else git starts

    def test_pre_push(self):
        bare = self.bare()
        self.hook("pre-push", "HEAD~1")
        self.assertEqual(self.git("push", "--quiet", bare, "HEAD:main"), 0, self.error)
        self.expect(["1 to 2"], self.head("HEAD~1"), "2")
        self.assertEqual(git(bare, "rev-parse", "main"), self.head())

    def test_pre_push_from_a_linked_worktree(self):
        linked, bare = self.linked(), self.bare()
        self.hook("pre-push", "HEAD~1")
        self.assertEqual(self.git("push", "--quiet", bare, "HEAD:main", cwd=linked), 0, self.error)
        self.expect(["1 to 2"], self.head("HEAD~1"), "2", cwd=linked)

    def test_post_checkout(self):
        """Its own checkout of the base starts no hook."""
        git(self.repository, "branch", "older", "HEAD~1")
        self.hook("post-checkout", "main")
        self.assertEqual(self.git("checkout", "--quiet", "older"), 0, self.error)
        self.expect(["2 to 1"], self.head("main"), "1")

    def test_post_checkout_of_a_new_worktree(self):
        self.hook("post-checkout", "main~1")
        linked, self.worktrees = self.folder / "linked", 2
        self.assertEqual(self.git("worktree", "add", "--quiet", "--detach", linked), 0, self.error)
        self.expect(["1 to 2"], self.head("main~1"), "2", cwd=linked)

    def branch(self):
        git(self.repository, "checkout", "--quiet", "-b", "topic")
        self.saved(self.repository, "3")
        git(self.repository, "checkout", "--quiet", "main")

    def test_post_merge(self):
        self.branch()
        self.hook("post-merge", "HEAD~1")
        base = self.head()
        self.assertEqual(self.git("merge", "--quiet", "topic"), 0, self.error)
        self.expect(["2 to 3"], base, "3")

    def test_pre_merge_commit(self):
        self.branch()
        self.hook("pre-merge-commit", "HEAD")
        base = self.head()
        self.assertEqual(self.git("merge", "--quiet", "--no-ff", "--no-edit", "topic"), 0, self.error)
        self.expect(["2 to 3"], base, "3")

    def test_cherry_pick_and_its_hooks(self):
        self.branch()
        self.hook("prepare-commit-msg", "HEAD")
        base = self.head()
        self.assertEqual(self.git("cherry-pick", "topic"), 0, self.error)
        self.expect(["2 to 3"], base, "3")

    def test_pre_rebase(self):
        self.branch()
        git(self.repository, "checkout", "--quiet", "topic")
        self.hook("pre-rebase", "HEAD~1")
        self.assertEqual(self.git("rebase", "--quiet", "--force-rebase", "main"), 0, self.error)
        self.expect(["2 to 3"], self.head("main"), "3")

    def test_pre_applypatch(self):
        self.branch()
        (self.folder / "patch").write_text(git(self.repository, "format-patch", "-1", "--stdout", "topic") + "\n")
        self.hook("pre-applypatch", "HEAD")
        base = self.head()
        self.assertEqual(self.git("am", "--quiet", self.folder / "patch"), 0, self.error)
        self.expect(["2 to 3"], base, "3")

    def test_rebase_exec(self):
        for cwd in (self.repository, self.linked()):
            with self.subTest(cwd.name):
                self.verdicts.write_text("")
                command = f"cd {shlex.quote(str(cwd))} && {self.command('HEAD~1')}"
                self.assertEqual(self.git("rebase", "--quiet", "--force-rebase", "--exec", command, "HEAD~1", cwd=cwd), 0, self.error)
                self.expect(["1 to 2"], self.head("main~1"), "2", cwd=cwd)

    def test_bisect_run(self):
        for content in "345":
            self.saved(self.repository, content)
        base = self.head("HEAD~4")
        git(self.repository, "bisect", "start", "HEAD", "HEAD~3")
        self.assertEqual(self.git("bisect", "run", "bash", "-c", self.command(base)), 0, self.error)
        self.assertIn("is the first bad commit", self.error)
        git(self.repository, "bisect", "reset")
        self.expect(["1 to 4"], base, "5")

    def test_alias(self):
        linked = self.linked()
        git(self.repository, "config", "alias.gate", "!" + self.command("HEAD~1"))
        (linked / "sub").mkdir()
        self.assertEqual(self.git("gate", cwd=linked / "sub"), 0, self.error)
        self.expect(["1 to 2"], self.head("HEAD~1"), "2", cwd=linked)

    def test_in_each_submodule(self):
        inner = self.submodule()
        self.assertEqual(self.git("submodule", "--quiet", "foreach", self.command("HEAD~1"), cwd=inner.parent), 0, self.error)
        self.expect(["1 to 2"], self.head("HEAD~1"), "2", cwd=inner)

    # ---- servers

    def bare(self):
        bare = self.folder / "bare.git"
        git(self.folder, "clone", "--quiet", "--bare", self.repository.as_uri(), bare)
        return bare

    def push_three(self, remote):
        self.saved(self.repository, "3")
        return self.git("push", "--quiet", remote, "HEAD:main")

    def test_hooks_before_a_server_takes_a_push_have_no_working_tree(self):
        for hook in ("pre-receive", "update"):
            with self.subTest(hook):
                bare, before = self.bare(), self.head()
                self.hook(hook, "main", bare)
                self.assertNotEqual(self.push_three(bare), 0)
                self.assertIn("is in a git repository, but not in a working tree", self.error)
                self.assertEqual(git(bare, "rev-parse", "main"), before)
                self.expect_no_worktree(bare)
                git(self.repository, "reset", "--quiet", "--hard", before)
                subprocess.run(["rm", "-rf", bare], check=True)

    def test_post_receive_that_makes_a_working_tree(self):
        bare = self.bare()
        checkout = "git worktree add --quiet --detach ../deployed main && cd ../deployed || exit 1"
        self.hook("post-receive", "HEAD~1", bare, checkout)
        base, self.worktrees = self.head(), 2
        self.assertEqual(self.push_three(bare), 0, self.error)
        self.expect(["2 to 3"], base, "3", cwd=self.folder / "deployed")

    def test_post_receive_of_a_checkout(self):
        other = self.folder / "other"
        git(self.folder, "clone", "--quiet", self.repository.as_uri(), other)
        git(other, "config", "receive.denyCurrentBranch", "updateInstead")
        self.hook("post-receive", "HEAD~1", other, "cd ..")
        base = self.head()
        self.assertEqual(self.push_three(other), 0, self.error)
        self.expect(["2 to 3"], base, "3", cwd=other)

    # ---- several at once

    def test_a_repository_that_its_working_tree_does_not_lead_to(self):
        """The working tree is inside of another repository, which is not the one to judge."""
        inner, work = self.folder / "inner.git", self.repository / "sub"
        there = ["--git-dir", str(inner), "--work-tree", str(work)]
        git(self.folder, "init", "--quiet", "--bare", inner)
        git(self.folder, "-C", work, *there, "commit", "--quiet", "--allow-empty", "--message", "inner")
        (inner / "hooks" / "pre-commit").write_text(f"#!/bin/bash\nexec {self.command('HEAD')}\n")
        (inner / "hooks" / "pre-commit").chmod(0o755)
        self.assertNotEqual(self.git(*there, "commit", "--allow-empty", "--message", "more", cwd=work), 0)
        self.assertIn("GIT_DIR names", self.error)
        self.assertEqual(self.verdicts.read_text(), "")

    def test_two_at_once(self):
        """In one working tree they wait for each other, in two they do not mind each other."""
        linked = self.linked()
        environment = self.environment(VERDICTS=str(self.verdicts))
        running = [
            subprocess.Popen(["bash", "-c", self.command("HEAD~1")], cwd=cwd, env=environment, stderr=subprocess.PIPE, text=True)
            for cwd in (self.repository, self.repository, linked, linked)
        ]
        ended = [(one.communicate(timeout=120)[1], one.returncode) for one in running]
        self.assertEqual([status for _, status in ended], [0] * 4, ended)
        self.error = str(ended)
        self.expect(["1 to 2"] * 4, self.head("HEAD~1"), "2")

    def test_variables_that_say_how_to_reach_a_server_are_kept(self):
        kept = {"GIT_SSH_COMMAND": "ssh -v", "GIT_TERMINAL_PROMPT": "0", "GIT_CONFIG_COUNT": "0", "GIT_CONFIG_GLOBAL": "/dev/null"}
        dropped = {"GIT_INDEX_FILE": "x", "GIT_DIR": "x", "GIT_OBJECT_DIRECTORY": "x", "GIT_QUARANTINE_PATH": "x", "GIT_NAMESPACE": "x", "GIT_CONFIG_PARAMETERS": "x"}
        seen = self.folder / "seen"
        command = quoted(SCRIPT, "--driver", self.driver, "--build", f"{BUILD_COMMAND}; env >{shlex.quote(str(seen))}", "--programs", PROGRAMS, "--base", "HEAD", CONFIG)
        environment = {**self.environment(VERDICTS=str(self.verdicts)), **kept, **dropped}
        subprocess.run(["bash", "-c", command], cwd=self.repository, env=environment, check=True, capture_output=True)
        names = {line.partition("=")[0] for line in seen.read_text().splitlines()}
        self.assertEqual({name for name in names if name.startswith("GIT_")}, {*kept, *(name for name in ENVIRONMENT if "CONFIG" in name and name.startswith("GIT_"))})


if __name__ == "__main__":
    unittest.main()
