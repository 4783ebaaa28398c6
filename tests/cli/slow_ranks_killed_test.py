"""Tests that ranks in C++ end when the driver does, in the middle of a request, too; skipped without Open MPI."""

import os
import pathlib
import signal
import subprocess
import time
import unittest

from backend_program import (
    BUILD,
    FASHION_MNIST,
    MPIRUN_ENVIRONMENT,
    is_alive,
    mpirun_is_open_mpi,
    skip,
    skip_unless_available,
    train,
)
from launched_ranks import LaunchedRanks, mpirun

PROGRAM = BUILD / "breakeven-backend-openblas"


class KilledTest(unittest.TestCase):
    def test_a_request_does_not_outlast_the_driver_for_long(self):
        ranks = LaunchedRanks(mpirun(PROGRAM, 3, MPIRUN_ENVIRONMENT), 3)
        pids = [one["pid"] for one in ranks.introductions]
        self.addCleanup(ranks.processes[0].wait)
        self.addCleanup(end_all, pids)
        ranks.start(threads=3)
        case = train("mlp", 66)
        case["parameters"]["ranks"] = 3
        ready = ranks.ask(request="prepare", **case)
        self.assertTrue(all(one["ok"] for one in ready), ready)
        ranks.send(request="sample", iterations=100_000_000)
        time.sleep(1)
        ranks.leave()
        self.assertNotEqual(ranks.processes[0].wait(timeout=30), 0)
        self.assertFalse([pid for pid in pids if is_alive(pid)])


def end_all(pids):
    for pid in filter(is_alive, pids):
        os.kill(pid, signal.SIGKILL)


if __name__ == "__main__":
    if not mpirun_is_open_mpi():
        skip("there is no mpirun of Open MPI")
    if "libmpi" not in subprocess.run(["ldd", PROGRAM], capture_output=True, text=True).stdout:
        skip("built without MPI")
    if not PROGRAM.exists() or not pathlib.Path(FASHION_MNIST).exists():
        skip("needs OpenBLAS and dataset-fashion-mnist")
    skip_unless_available(PROGRAM)
    unittest.main()
