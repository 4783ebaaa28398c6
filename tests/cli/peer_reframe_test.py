"""Tests scripts/reframe with ReFrame (PyPI: reframe-hpc; scripts/setup-reframe installs it), on this machine and, where
Slurm is installed, as jobs of a cluster of its own."""

import json
import os
import pathlib
import shutil
import subprocess
import unittest

from backend_program import BUILD, SIMULATED, SOURCE, FolderTest, skip
from report_files import breakeven
from slurm_cluster import SlurmCluster, missing_programs

DATA = os.environ.get("XDG_DATA_HOME") or pathlib.Path.home() / ".local" / "share"
INSTALLED = pathlib.Path(DATA, "breakeven", "reframe", "bin", "reframe")
REFRAME = INSTALLED if INSTALLED.exists() else shutil.which("reframe")
SCRIPTS = SOURCE / "scripts" / "reframe"


class ReframeTest(FolderTest):
    def setUp(self):
        super().setUp()
        self.folder.chmod(0o711)  # for the cluster in it
        programs = self.folder / "programs"
        programs.mkdir()
        for name in ("a", "b"):
            (programs / f"breakeven-backend-{name}").symlink_to(SIMULATED)
        self.environment = {**os.environ, "BREAKEVEN_BACKENDS": str(programs)}
        self.configs = [
            self.config("products", [{"op": "matmul", "m": [64, 128], "n": "m", "k": "m", "dtype": "f32"}]),
            self.config("inference", [{"op": "infer", "network": "mlp", "batch": 4, "dtype": "f32"}]),
        ]

    def config(self, name, workloads):
        path = self.folder / f"{name}.json"
        path.write_text(json.dumps({"backends": ["a", "b"], "measure": {"max_seconds": 0.1}, "workloads": workloads}))
        return path

    def check(self, *options, configs=None, partition="local", simulated="seed=7", environment=None):
        """The status of ReFrame, and its report of what was run."""
        report = self.folder / "report.json"
        names = ",".join(map(str, configs or self.configs))
        places = {"HOME": str(self.folder), "TMPDIR": str(self.folder)}  # ReFrame writes to both
        done = subprocess.run(
            [REFRAME, "-C", SCRIPTS / "settings.py", "-c", SCRIPTS / "breakeven_checks.py"]
            + [f"--system=breakeven:{partition}", "-P", f"config={names}", "-S", f"driver={BUILD / 'breakeven'}"]
            + ["--prefix", self.folder / "reframe", f"--report-file={report}", *options, "--run"],
            cwd=self.folder,
            env={**(environment or self.environment), **places, "BREAKEVEN_SIMULATED": simulated},
            capture_output=True,
            text=True,
            timeout=120,
        )
        self.output = done.stdout + done.stderr
        self.report = json.loads(report.read_text()) if report.exists() else None
        return done.returncode

    def check_with(self, ceilings, *options):
        return self.check("-S", f"ceilings={ceilings}", *options, configs=self.configs[:1])

    def speeds(self):
        """{name: (value, reference, unit)} of all checks that were run."""
        found = {}
        for case in self.report["runs"][0]["testcases"]:
            for name, (value, reference, _, _, unit, *_) in case["perfvalues"].items():
                found[name.split(":")[-1]] = (value, reference, unit)
        return found

    def expect_speeds(self):
        speeds = self.speeds()
        self.assertEqual(
            {(name, unit) for name, (_, _, unit) in speeds.items()},
            {(f"matmul/m={m}/n={m}/k={m}/f32 {b}", "GFLOP/s") for m in (64, 128) for b in "ab"}
            | {(f"infer/network=mlp/batch=4/f32 {b}", "images/s") for b in "ab"},
        )
        self.assertTrue(all(value > 0 for value, _, _ in speeds.values()), speeds)

    def test_a_check_for_each_config(self):
        self.assertEqual(self.check(), 0, self.output)
        self.assertEqual(len(self.report["runs"][0]["testcases"]), 2)
        self.expect_speeds()

    def test_a_wrong_result_fails(self):
        self.assertEqual(self.check(simulated="fault=nan,at=verify,backend=b,case=m=64"), 1, self.output)
        self.assertIn("matmul/m=64/n=64/k=64/f32 on b is wrong", self.output)
        self.assertEqual(len([case for case in self.report["runs"][0]["testcases"] if case["result"] == "pass"]), 1)

    def test_a_config_that_is_missing_fails(self):
        self.assertEqual(self.check(configs=["nosuch"]), 1, self.output)
        self.assertIn("breakeven measured nothing (status 2)", self.output)

    def test_ceilings_are_references(self):
        peak = {"op": "peak", "dots": 3072, "steps": 64, "dtype": "f32"}
        ceilings = self.config("ceilings", [peak, {"op": "read", "bytes": 1048576, "dtype": "f32"}])
        folder = self.folder / "ceilings"
        folder.mkdir()
        self.assertEqual(self.check_with(folder), 1, self.output)
        self.assertIn("ceilings has no ceilings of", self.output)
        run = breakeven("run", ceilings, "--out", folder / "node.json", "--quiet", **self.environment)
        self.assertEqual(run.returncode, 0, run.stderr)
        other = json.loads((folder / "node.json").read_text())
        other["host"]["name"] = "another-host"
        (folder / "other.json").write_text(json.dumps(other))
        self.assertEqual(self.check_with(folder, "-S", "least_share=0.01"), 0, self.output)
        value, *reference = self.speeds()["matmul f32 of its roofline"]
        self.assertEqual(reference, [100, "%"])
        self.assertTrue(1 < value < 100, value)
        self.assertEqual(self.check_with(folder / "node.json", "-S", "least_share=0.99"), 1, self.output)
        self.assertRegex(self.output, "performance error: .*matmul f32 of its roofline")

    @unittest.skipIf(missing_programs(), "Slurm is not installed")
    def test_checks_are_jobs_of_slurm(self):
        (self.folder / "cluster").mkdir()
        cluster = SlurmCluster(self.folder / "cluster", ["node1"], self.addCleanup)
        status = self.check(partition="slurm", environment={**self.environment, **cluster.environment})
        self.assertEqual(status, 0, self.output + cluster.logs())
        self.expect_speeds()


if __name__ == "__main__":
    if REFRAME is None:
        skip("no ReFrame; scripts/setup-reframe installs it")
    unittest.main()
