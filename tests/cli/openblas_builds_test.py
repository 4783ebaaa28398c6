"""Tests that OpenBLAS computes with the threads that it was given, however it was built. Debian has three builds."""

import os
import pathlib
import unittest

from backend_program import BUILD, BackendProgram, matmul, skip

PROGRAM = BUILD / "breakeven-backend-openblas"
CPUS = len(os.sched_getaffinity(0))


def build_of(kind):
    """The folder of Debian's build with this kind of threads; None if it is not installed."""
    return next(pathlib.Path("/usr/lib").glob(f"*/openblas-{kind}/libopenblas.so.0"), None)


def started(kind, threads):
    """The program with this build of the library, of a user who has set OMP_NUM_THREADS to two."""
    environment = {"LD_LIBRARY_PATH": str(build_of(kind).parent), "OMP_NUM_THREADS": "2"}
    return BackendProgram([PROGRAM], threads=threads, environment=environment)


def cpus_used(kind, threads):
    program = started(kind, threads)
    problem = matmul(1024, 1024, 1024)
    problem["parameters"]["tuned"] = False
    answer = program.ask(request="prepare", **problem)
    assert answer["ok"], answer
    program.ask(request="sample", iterations=3)
    sample = program.ask(request="sample", iterations=20)
    program.quit()
    return sample["cpu_seconds"] / sample["seconds"]


class OpenblasBuildsTest(unittest.TestCase):
    def test_builds_with_threads_use_no_more_than_they_were_given(self):
        for kind in filter(build_of, ("openmp", "pthread")):
            with self.subTest(kind):
                self.assertLess(cpus_used(kind, 1), 1.3)

    def test_a_build_without_threads_is_named(self):
        if not build_of("serial"):
            self.skipTest("no libopenblas0-serial")
        program = started("serial", 2)
        warnings = program.hello["warnings"]
        program.quit()
        self.assertIn("this build of openblas has no threads of its own: install a build with threads (Debian: libopenblas-openmp-dev)", warnings)


if __name__ == "__main__":
    if not PROGRAM.exists() or CPUS < 2 or not build_of("openmp"):
        skip("needs OpenBLAS's build on OpenMP (Debian: libopenblas0-openmp), and two CPUs")
    unittest.main()
