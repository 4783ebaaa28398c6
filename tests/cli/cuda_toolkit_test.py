"""Tests that CMake leaves the CUDA backend out, and says why, where an nvcc cannot be used."""

import os
import stat
import subprocess
import unittest

from backend_program import SOURCE, FolderTest


class CudaToolkitTest(FolderTest):
    def configured_with(self, nvcc):
        """What CMake prints with this script in place of nvcc."""
        program = self.folder / "nvcc"
        program.write_text(f"#!/bin/sh\n{nvcc}\n")
        program.chmod(stat.S_IRWXU)
        environment = {name: value for name, value in os.environ.items() if name != "CUDACXX"}
        done = subprocess.run(
            ["cmake", "-S", SOURCE, "-B", self.folder / "build", "-G", "Ninja", f"-DNVCC={program}"]
            + [f"-DBREAKEVEN_{part}=OFF" for part in ("TESTS", "BENCH")],
            env=environment | {"XDG_DATA_HOME": str(self.folder)},
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("breakeven-backend-cuda", (self.folder / "build/build.ninja").read_text())
        return done.stdout

    def test_one_that_is_too_old_is_named_with_its_version(self):
        said = self.configured_with("echo 'Cuda compilation tools, release 11.8, V11.8.89'")
        self.assertIn(f"{self.folder}/nvcc is of CUDA 11.8, and 12.4 is needed", said)

    def test_one_that_does_not_compile_is_named(self):
        said = self.configured_with('[ "$1" != --version ] || exec echo "release 12.8, V12.8.61"; exit 1')
        self.assertIn(f"{self.folder}/nvcc does not compile here", said)


if __name__ == "__main__":
    unittest.main()
