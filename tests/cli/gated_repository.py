"""A git repository that builds backend programs, for tests of the commands that gate two of its commits. Its build
reads `settings`, those of the simulated backend, and writes a program with these settings."""

import json
import os
import shlex
import shutil
import signal
import subprocess
import time

from backend_program import BUILD, SIMULATED, SOURCE, FolderTest

SAME = "noise=0.01,process_noise=0.002"
SLOWER = SAME + ",factor=1.2"
PROGRAMS = "built programs"
MAKE = f"""#!/bin/bash
set -e
settings=$(cat settings)
mkdir -p {shlex.quote(PROGRAMS)}
cd {shlex.quote(PROGRAMS)}
rm -f breakeven-backend-a
[ "$settings" != "no programs" ] || exit 0
[ "$settings" != "does not build" ] || {{ echo "make: *** no rule" >&2; exit 9; }}
printf '#!/bin/bash\\nBREAKEVEN_SIMULATED=%q exec -a "$0" {shlex.quote(str(SIMULATED))}\\n' "$settings" >breakeven-backend-a
chmod +x breakeven-backend-a
"""
# Words that a shell would act upon where they are not quoted. A path may have all of them, a branch no space.
HOSTILE = "it's a $(touch owned) `touch owned`; & | \"*\""
HOSTILE_BRANCH = "it's/$(touch${IFS}owned)`touch${IFS}owned`;&|\"x"
# Whoever runs the tests may have settings of their own, and be in somebody's CI.
ENVIRONMENT = {
    "BREAKEVEN_SIMULATED_CLOCK": "1",
    **{k: v for k, v in os.environ.items() if not k.startswith(("GIT_", "GITHUB_", "CI_", "BREAKEVEN_", "XDG_CONFIG_"))},
    **{f"GIT_{who}_{what}": f"{who}@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
}


def git(folder, *arguments):
    command = ["git", "-c", "init.defaultBranch=main", "-C", folder, *arguments]
    return subprocess.run(command, env=ENVIRONMENT, check=True, capture_output=True, text=True).stdout.strip()


def heed_interrupts():
    """For preexec_fn: whoever runs the tests in the background ignores them, and a shell could not heed them again."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class GatedRepositoryTest(FolderTest):
    def setUp(self):
        super().setUp()
        self.scratch = self.folder / "scratch"
        self.scratch.mkdir()
        self.repository = self.folder / HOSTILE
        self.repository.mkdir()
        git(self.repository, "init", "--quiet")
        make = self.repository / "make programs"
        make.write_text(MAKE)
        make.chmod(0o755)
        product = {"op": "matmul", "m": [8, 16], "n": "m", "k": "m", "dtype": "f32"}
        (self.repository / "the config.json").write_text(json.dumps({"backends": ["a"], "workloads": [product]}))
        (self.repository / ".gitignore").write_text(f"/{PROGRAMS}/\n/breakeven-gate/\n")
        self.base = self.commit(SAME)

    def commit(self, settings):
        """Commits these settings and returns the commit's name, as short as in reports."""
        (self.repository / "settings").write_text(settings)
        git(self.repository, "add", "--all")
        git(self.repository, "commit", "--quiet", "--allow-empty", "--message", settings)
        return git(self.repository, "rev-parse", "--short", "HEAD")

    def shallow_clone(self, branch="main"):
        """A clone as a CI makes it: one commit, on no branch."""
        clone = self.folder / "clone"
        git(self.folder, "clone", "--quiet", "--depth", "1", "--branch", branch, self.repository.as_uri(), clone)
        git(clone, "checkout", "--quiet", "--detach")
        git(clone, "branch", "--quiet", "-D", branch)
        git(clone, "update-ref", "-d", f"refs/remotes/origin/{branch}")
        return clone

    def expect_clean(self, repository=None):
        """Checks that there is no other worktree, no file left, and that no name was executed."""
        worktrees = git(repository or self.repository, "worktree", "list", "--porcelain")
        self.assertEqual(worktrees.count("worktree "), 1, worktrees)
        self.assertEqual(list(self.scratch.iterdir()), [])
        self.assertEqual(list(self.folder.rglob("owned")), [])

    def wait_for(self, condition):
        end = time.monotonic() + 60
        while not condition():
            self.assertLess(time.monotonic(), end, "what was waited for did not come")
            time.sleep(0.02)

    def environment(self, **more):
        return {**ENVIRONMENT, "TMPDIR": str(self.scratch), **more}

    def breakeven_clone(self):
        """A clone of breakeven with the parts that the script needs; it builds its driver in no time."""
        clone = self.folder / "breakeven"
        (clone / "scripts").mkdir(parents=True)
        for script in ("gate-commits", "ci-driver"):
            shutil.copy(SOURCE / "scripts" / script, clone / "scripts")
        (clone / "src").mkdir()
        (clone / "scripts" / "setup").write_text("#!/bin/sh\n")
        (clone / "scripts" / "setup").chmod(0o755)
        preset = {"name": "release", "generator": "Ninja", "binaryDir": "${sourceDir}/build"}
        (clone / "CMakePresets.json").write_text(json.dumps({"version": 3, "configurePresets": [preset]}))
        (clone / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.22)\n"
            "project(breakeven LANGUAGES NONE)\n"
            f'add_custom_target(breakeven COMMAND ln -sf "{BUILD}/breakeven" breakeven)\n'
            "add_custom_target(breakeven-backend-reference COMMAND ln -sf\n"
            f'  "{BUILD}/breakeven-backend-reference" breakeven-backend-reference)\n'
            'add_custom_target(programs COMMAND "${CMAKE_SOURCE_DIR}/make programs"\n'
            f'  COMMAND ln -sf "../{PROGRAMS}/breakeven-backend-a" build WORKING_DIRECTORY "${{CMAKE_SOURCE_DIR}}")\n'
        )
        return clone
