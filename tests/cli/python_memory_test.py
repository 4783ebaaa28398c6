"""Tests that the Python worker keeps memory that a case frees for its next iteration, and returns it after the case."""

import os
import subprocess
import textwrap
import unittest

from backend_program import SOURCE, python_with_numpy, skip

# Two blocks of different sizes in turn, like a network's activations. By default, glibc maps them again each time.
PROGRAM = textwrap.dedent(f"""
    import resource, sys
    sys.path.insert(0, {str(SOURCE / "src" / "worker" / "python")!r})
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


if __name__ == "__main__":
    python = python_with_numpy()
    if python is None:
        skip("no python3 here has numpy")
    unittest.main()
