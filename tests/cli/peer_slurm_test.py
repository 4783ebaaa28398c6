"""Tests scripts/slurm on a cluster of Slurm's own daemons, all on this machine (Debian: slurmctld, slurmd,
slurm-client, munge)."""

import concurrent.futures
import json
import subprocess
import unittest

from backend_program import BUILD, SIMULATED, SOURCE, FolderTest, folder_until, is_alive
from report_files import breakeven
from slurm_cluster import SlurmCluster, skip_without_slurm

SCRIPTS = SOURCE / "scripts" / "slurm"
NODES = ["node1", "node2", "node3"]

# In place of breakeven, starts five ranks by the launcher it is given, as for a case. Each says who it is.
STARTS_RANKS = """#!/usr/bin/env bash
[ "$1" = run ] || exit 0
while [ $# -gt 1 ]; do
  case $1 in --launcher) launcher=$2 ;; --out) out=$2 ;; esac
  shift
done
rank='echo "$SLURM_PROCID $SLURMD_NODENAME"'
${launcher//'{ranks}'/5} bash -c "$rank" </dev/null >"$out"
"""

# A backend whose ranks answer nothing, and end neither with their input nor when they are asked to.
HANGS = """#!/usr/bin/env bash
[ "$1" = --ranks ] || exec -a "$0" {simulated}
trap '' TERM
echo $$ >{pids}-$SLURM_PROCID
while :; do sleep 0.1; done
"""


class SlurmTest(FolderTest):
    @classmethod
    def setUpClass(cls):
        cls.cluster = SlurmCluster(folder_until(cls.addClassCleanup), NODES, cls.addClassCleanup)

    def setUp(self):
        super().setUp()
        self.programs = self.folder / "programs"
        self.programs.mkdir()
        for name in ("a", "b"):
            (self.programs / f"breakeven-backend-{name}").symlink_to(SIMULATED)
        self.config = self.folder / "the config.json"
        products = {"op": "matmul", "m": [8, 16, 24, 32, 40, 48], "n": "m", "k": "m", "dtype": "f32"}
        self.config.write_text(json.dumps({"backends": ["a", "b"], "workloads": [products]}))
        self.results = self.folder / "the results"
        self.environment = {"BREAKEVEN_BACKENDS": str(self.programs), "BREAKEVEN_SIMULATED": "noise=0.01,seed=7"}

    def submit(self, script, *arguments, options=(), seconds="0.05", run_options=()):
        command = [SCRIPTS / script, "--driver", BUILD / "breakeven", "--folder", self.results, "--wait", self.config]
        run_options = ["--", "--seconds", seconds, "--quiet", *run_options]
        return self.cluster.run(*command, *arguments, *options, *run_options, **self.environment)

    def logs(self):
        """What the jobs and the daemons said, for a failure."""
        logs = [f"{log.name}:\n{log.read_text()}" for log in sorted(self.results.glob("*.log"))]
        return "\n".join([*logs, self.cluster.logs()])

    def expect_status(self, status, done):
        self.assertEqual(done.returncode, status, f"{done.stdout}{done.stderr}\n{self.logs()}")

    def rows(self, path):
        return [(case["id"], case["backend"], case["status"]) for case in json.loads(path.read_text())["cases"]]

    def test_shards_become_one_result(self):
        done = self.submit("shards", "3", options=["-p", "all", "--time=10", "--comment", "a comment"])
        self.expect_status(0, done)
        whole = self.folder / "whole.json"
        run = breakeven("run", self.config, "--seconds", "0.05", "--out", whole, "--quiet", **self.environment)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(self.rows(self.results / "the config.json"), self.rows(whole))
        self.assertEqual(len(self.rows(whole)), 12)
        self.assertRegex(done.stdout, r"^\d+\n$")

    def test_a_missing_shard_is_named_and_submitted_again(self):
        missing = self.submit("shards", "3", options=["--array=1,3"])
        self.expect_status(2, missing)
        self.assertIn("shard 2/3 is missing", missing.stderr)
        self.assertFalse((self.results / "the config.json").exists())
        again = self.submit("shards", "3")
        self.expect_status(0, again)
        self.assertIn("measures the shards 2 of 3", again.stderr)
        self.assertEqual(len(self.rows(self.results / "the config.json")), 12)
        shard = self.results / "shard-3.json"
        text = shard.read_text().replace('"complete": true', '"complete": false')
        of_another_machine = text.replace('"cpu":"', '"cpu":"another ', 1)
        shard.write_text(of_another_machine)
        self.expect_status(0, self.submit("shards", "3"))
        self.assertIn("measuring from the start", (self.results / "shard-3.log").read_text())
        self.assertEqual((self.results / "shard-3.previous.json").read_text(), of_another_machine)

    def test_a_cancelled_shard_keeps_what_was_measured(self):
        shard = self.results / "shard-1.json"

        def cancel_when_a_case_is_measured():
            self.cluster.wait_until(shard.exists)
            self.cluster.run("scancel", "--name", "the config")

        with concurrent.futures.ThreadPoolExecutor() as threads:
            cancelling = threads.submit(cancel_when_a_case_is_measured)
            cancelled = self.submit("shards", "1", seconds="2", run_options=["--precision", "0.0001"])
        cancelling.result()
        self.expect_status(4, cancelled)
        self.assertRegex(cancelled.stderr, r"is incomplete, \d+ of its 12 results are missing")
        self.assertIn("to continue shards 1, submit the same again", cancelled.stderr)
        cases = json.loads(shard.read_text())["cases"]
        self.assertEqual({case["status"] for case in cases}, {"ok", "interrupted"})
        self.expect_status(0, self.submit("shards", "1"))
        continued = json.loads(shard.read_text())["cases"]
        self.assertEqual({case["status"] for case in continued}, {"ok"})
        for case in cases:
            self.assertTrue(case["status"] == "interrupted" or case in continued, "it was measured again")

    def test_nodes_are_compared(self):
        done = self.submit("nodes", "node[1-3]")
        self.expect_status(0, done)
        self.assertIn("No node was found to be slower", done.stdout)
        self.assertEqual(sorted(path.stem for path in self.results.glob("node?.json")), NODES)
        again = self.submit("nodes", "node[1-2]")
        self.expect_status(4, again)
        self.assertIn("at least 3 are needed", again.stdout)

    def test_ranks_are_spread_over_nodes(self):
        driver = self.folder / "driver"
        driver.write_text(STARTS_RANKS)
        driver.chmod(0o755)
        command = [SCRIPTS / "ranks", "--driver", driver, "--folder", self.results, "--wait", self.config, "3"]
        self.expect_status(0, self.cluster.run(*command))
        lines = [line.split() for line in sorted((self.results / "the config.json").read_text().splitlines())]
        self.assertEqual([rank for rank, _ in lines], ["0", "1", "2", "3", "4"])
        self.assertEqual({node for _, node in lines}, set(NODES))

    def test_ranks_that_hang_are_ended(self):
        """They are children of Slurm's daemons, not of breakeven. When a case times out, nothing is left of its job."""
        program = self.programs / "breakeven-backend-hangs"
        pids = self.folder / "pid"
        program.write_text(HANGS.format(pids=pids, simulated=SIMULATED))
        program.chmod(0o755)
        case = {"op": "all_reduce", "bytes": 4096, "ranks": 2}
        measure = {"timeout_seconds": 5}
        self.config.write_text(json.dumps({"backends": ["hangs"], "measure": measure, "workloads": [case]}))
        self.expect_status(4, self.submit("ranks", "2"))
        row = json.loads((self.results / "the config.json").read_text())["cases"][0]
        self.assertEqual(row["status"], "timed_out", row)
        started = [int(path.read_text()) for path in self.folder.glob("pid-*")]
        self.assertEqual(len(started), 2)
        self.cluster.wait_until(lambda: not any(map(is_alive, started)), seconds=10)

    def test_what_is_at_fault_is_named(self):
        for script, arguments, words in [
            ("shards", [], "in how many shards?"),
            ("shards", ["0"], "is no number of shards"),
            ("shards", ["7"], "there are only 6 cases"),
            ("shards", ["2", "--no-such-option"], "sbatch refused the job"),
            ("nodes", ["elsewhere"], "are no nodes of this cluster"),
            ("ranks", ["two"], "is no number of nodes"),
        ]:
            with self.subTest(words):
                done = self.submit(script, *arguments)
                self.expect_status(2, done)
                self.assertIn(words, done.stderr)
        self.config.unlink()
        self.assertIn("there is no such file", self.submit("ranks", "1").stderr)
        alone = subprocess.run([SCRIPTS / "shards", "--run-shard", "2"], capture_output=True, text=True)
        self.assertIn("is a step that Slurm runs", alone.stderr)


if __name__ == "__main__":
    skip_without_slurm()
    unittest.main()
