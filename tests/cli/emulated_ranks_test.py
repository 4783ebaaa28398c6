"""Tests that each rank of the CUDA backend runs on the CPUs next to its own GPU, however few threads a host has: on the
emulated device, with a scripted NVML."""

import json
import os
import subprocess
import unittest

from backend_program import BUILD, MPIRUN_ENVIRONMENT, mpirun_is_open_mpi, skip
from launched_ranks import LaunchedRanks, mpirun

EMULATED = BUILD / "tests/emulated_cuda"
PROGRAM = EMULATED / "breakeven-backend-cuda"
UUIDS = [f"GPU-00000000-0000-0000-0000-00000000000{number}" for number in range(2)]


class EmulatedRanksTest(unittest.TestCase):
    def places(self, nvml):
        """The CPUs that two ranks tell of, and those on which they may run, with this script of NVML."""
        environment = {
            "EMULATED_CUDA_DEVICES": "2",
            "LD_LIBRARY_PATH": str(BUILD / "tests/fake_nvml/fake_nvml"),
            "FAKE_NVML": json.dumps(nvml),
            **MPIRUN_ENVIRONMENT,
        }
        ranks = LaunchedRanks(mpirun(PROGRAM, 2, environment), 2)
        self.addCleanup(ranks.processes[0].kill)
        told = [hello["ranks"][0] for hello in ranks.start(threads=1)]
        allowed = [sorted(os.sched_getaffinity(rank["pid"])) for rank in told]
        self.assertEqual(ranks.ask(request="quit"), [{"ok": True}] * 2)
        self.assertEqual(ranks.processes[0].wait(timeout=30), 0)
        return [rank.get("cpus", []) for rank in told], allowed

    def test_each_is_near_its_own_gpu(self):
        cpus = sorted(os.sched_getaffinity(0))
        if len(cpus) < 2:
            self.skipTest("there is one CPU")
        crossed = [[cpus[1]], [cpus[0]]]
        self.assertEqual(self.places({"near_cpus": dict(zip(UUIDS, crossed))}), (crossed, crossed))

    def test_without_nvml_they_may_run_everywhere(self):
        cpus = sorted(os.sched_getaffinity(0))
        self.assertEqual(self.places({"init": 9}), ([[], []], [cpus, cpus]))


if __name__ == "__main__":
    if not mpirun_is_open_mpi():
        skip("there is no mpirun of Open MPI")
    if not PROGRAM.exists():
        skip("the emulated device was not built")
    if "libmpi" not in subprocess.run(["ldd", PROGRAM], capture_output=True, text=True).stdout:
        skip("built without MPI")
    unittest.main()
