"""Tests that a rank in C++ that is killed ends the others, between requests and during one; skipped without Open MPI."""

import json
import os
import pathlib
import signal
import subprocess
import time
import unittest

from backend_program import (
    BUILD,
    FASHION_MNIST,
    BackendProgram,
    is_alive,
    mpirun_is_open_mpi,
    skip,
    skip_unless_available,
    train,
)

PROGRAM = BUILD / "breakeven-backend-openblas"
# This machine may have fewer cores than ranks.
ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "ASAN_OPTIONS": "detect_leaks=0",  # MPI leaks
}


class KilledTest(unittest.TestCase):
    def test_one_that_is_killed_ends_all(self):
        for killed in (0, 1):
            for request in (None, {"request": "sample", "iterations": 100_000_000}):
                with self.subTest(killed=killed, request=request):
                    self.expect_end(killed, request)

    def expect_end(self, killed, request):
        command = ["mpirun", "-np", 3, "--bind-to", "none", PROGRAM, "--ranks", 3]
        ranks = BackendProgram(command, threads=3, environment=ENVIRONMENT)
        self.addCleanup(ranks.kill)
        case = train("mlp", 66)
        case["parameters"]["ranks"] = 3
        ready = ranks.ask(request="prepare", **case)
        self.assertTrue(ready["ok"], ready)
        if request:
            ranks._process.stdin.write(json.dumps(request) + "\n")
            ranks._process.stdin.flush()
            time.sleep(1)
        pids = [rank["pid"] for rank in ranks.hello["ranks"]]
        self.assertEqual(len(pids), 3)
        self.addCleanup(end_all, pids)
        os.kill(pids[killed], signal.SIGKILL)
        self.assertNotEqual(ranks._process.wait(timeout=30), 0)
        last = time.monotonic() + 10
        while any(map(is_alive, pids)) and time.monotonic() < last:
            time.sleep(0.1)
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
