"""Tests that the Python worker keeps memory that a case frees for its next iteration, and returns it after the case, and
that it looks for the default data set in BREAKEVEN_FASHION_MNIST, and for others where the case says."""

import os
import subprocess
import textwrap
import unittest

from backend_program import FASHION_MNIST, WORKER, python_with_numpy, skip

# Two blocks of different sizes in turn, like a network's activations. By default, glibc maps them again each time.
PROGRAM = textwrap.dedent(f"""
    import resource, sys
    sys.path.insert(0, {str(WORKER)!r})
    import numpy as np
    from breakeven_worker.host import keep_freed_memory, return_freed_memory

    def faults():
        return resource.getrusage(resource.RUSAGE_SELF).ru_minflt

    def resident_mib():
        return int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize() >> 20

    def touch():
        for mib in (64, 96):
            np.empty(mib << 20, dtype=np.uint8)[:: resource.getpagesize()] = 1

    keep_freed_memory()
    touch()
    before = faults()
    for _ in range(10):
        touch()
    counted = faults() - before
    held = resident_mib()
    return_freed_memory()
    print(counted, held, resident_mib())
""")
READ = "import sys; from breakeven_worker.dataset import read_images; read_images(sys.argv[1], 'test')"


class PythonMemoryTest(unittest.TestCase):
    def run_program(self, **variables):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("MALLOC_")} | variables
        done = subprocess.run([python, "-c", PROGRAM], capture_output=True, text=True, env=environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [int(figure) for figure in done.stdout.split()]

    def test_freed_memory_is_reused_until_it_is_returned(self):
        faults, held, left = self.run_program()
        self.assertLess(faults, 100)
        self.assertLess(left, held - 64)

    def test_what_the_user_has_set_stays(self):
        self.assertGreater(self.run_program(MALLOC_MMAP_THRESHOLD_="131072")[0], 1000)


class PythonDatasetTest(unittest.TestCase):
    def missing(self, folder):
        """The place where it looked for the folder's files, none of which exist."""
        environment = {**os.environ, "BREAKEVEN_FASHION_MNIST": "/not/here", "PYTHONPATH": str(WORKER)}
        return subprocess.run([python, "-c", READ, folder], env=environment, capture_output=True, text=True).stderr

    def test_the_default_one_is_where_the_environment_says(self):
        self.assertIn("/not/here/t10k-images-idx3-ubyte: there is no such file", self.missing(FASHION_MNIST))

    def test_another_one_is_where_the_case_says(self):
        self.assertIn("/nor/here/t10k-images-idx3-ubyte: there is no such file", self.missing("/nor/here"))


if __name__ == "__main__":
    python = python_with_numpy()
    if python is None:
        skip("no python3 here has numpy")
    unittest.main()
