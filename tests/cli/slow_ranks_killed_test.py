"""Tests that a rank in C++ that is killed ends the others, between requests and during one, as the end of the driver
does; skipped without Open MPI."""

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
    MPIRUN_ENVIRONMENT,
    BackendProgram,
    is_alive,
    mpirun_is_open_mpi,
    skip,
    skip_unless_available,
    train,
)

PROGRAM = BUILD / "breakeven-backend-openblas"


class KilledTest(unittest.TestCase):
    def test_one_that_is_killed_ends_all(self):
        for killed in (0, 1):
            for request in (None, {"request": "sample", "iterations": 100_000_000}):
                with self.subTest(killed=killed, request=request):
                    self.expect_end(killed, request)

    def test_a_request_does_not_outlast_the_driver_for_long(self):
        ranks, pids = self.start({"request": "sample", "iterations": 100_000_000})
        ranks._process.stdin.close()
        ranks._process.stdin = None
        self.assertNotEqual(ranks._process.wait(timeout=30), 0)
        self.expect_none_of(pids)

    def expect_end(self, killed, request):
        ranks, pids = self.start(request)
        os.kill(pids[killed], signal.SIGKILL)
        self.assertNotEqual(ranks._process.wait(timeout=30), 0)
        self.expect_none_of(pids)

    def start(self, request):
        """Three ranks, in the middle of this request if there is one, and their process ids."""
        command = ["mpirun", "-np", 3, "--bind-to", "none", PROGRAM, "--ranks", 3]
        ranks = BackendProgram(command, threads=3, environment=MPIRUN_ENVIRONMENT)
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
        return ranks, pids

    def expect_none_of(self, pids):
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
