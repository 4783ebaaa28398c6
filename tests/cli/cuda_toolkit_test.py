"""Tests which nvcc CMake and scripts/setup-cuda take, and what they say where none can be used."""

import os
import re
import stat
import subprocess
import unittest

from backend_program import SOURCE, FolderTest


def of_version(version):
    """An nvcc of this version that compiles nothing, as a script."""
    return f'[ "$1" != --version ] || exec echo "Cuda compilation tools, release {version}, V{version}.89"; exit 1'


class ToolkitsTest(FolderTest):
    def program(self, name, script):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(stat.S_IRWXU)
        return path

    def environment(self, glibc="2.36", **programs):
        """Has these scripts in PATH, and no CUDA in other places."""
        programs["getconf"] = f"echo glibc {glibc}"
        for name, script in programs.items():
            self.program(f"bin/{name.replace('_', '-')}", script)
        environment = {name: value for name, value in os.environ.items() if name != "CUDACXX"}
        path = f"{self.folder}/bin:{os.environ['PATH']}"
        return environment | {"XDG_DATA_HOME": str(self.folder), "CUDA_HOME": f"{self.folder}/cuda", "PATH": path}


class CudaToolkitTest(ToolkitsTest):
    def configured_with(self, nvcc):
        """What CMake prints with this script in place of nvcc."""
        return self.configured(self.environment(), f"-DBREAKEVEN_NVCC={self.program('nvcc', nvcc)}")

    def configured(self, environment, *options):
        done = subprocess.run(
            ["cmake", "-S", SOURCE, "-B", self.folder / "build", "-G", "Ninja", *options]
            + [f"-DBREAKEVEN_{part}=OFF" for part in ("TESTS", "BENCH")],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("breakeven-backend-cuda", (self.folder / "build/build.ninja").read_text())
        return done.stdout

    def test_one_that_is_too_old_is_named_with_its_version(self):
        said = self.configured_with(of_version("11.8"))
        self.assertIn(f"{self.folder}/nvcc is of CUDA 11.8, and 12.4 is needed", said)

    def test_one_that_says_no_version_hides_no_other(self):
        self.program("cuda/bin/nvcc", of_version("12.9"))
        said = self.configured(self.environment(nvcc="exit 1"))
        self.assertIn(f"{self.folder}/cuda/bin/nvcc does not compile here", said)

    def test_one_that_does_not_exist_is_named(self):
        said = self.configured(self.environment(nvcc=of_version("11.8")), "-DBREAKEVEN_NVCC=/not/here")
        self.assertIn("BREAKEVEN_NVCC is /not/here, which does not exist", said)

    def test_one_that_does_not_compile_is_named(self):
        said = self.configured_with(of_version("12.8"))
        self.assertIn(f"{self.folder}/nvcc does not compile here", said)

    def test_the_one_in_path_has_priority_if_it_is_new_enough(self):
        self.program("cuda/bin/nvcc", of_version("13.0"))
        said = self.configured(self.environment(nvcc=of_version("12.9")))
        self.assertIn(f"{self.folder}/bin/nvcc does not compile here", said)

    def test_one_that_is_too_old_hides_no_newer_one(self):
        self.program("cuda/bin/nvcc", of_version("12.9"))
        said = self.configured(self.environment(nvcc=of_version("11.8")))
        self.assertIn(f"{self.folder}/cuda/bin/nvcc does not compile here", said)


    def test_one_whose_headers_do_not_fit_glibc_hides_no_newer_one(self):
        environment = self.environment(nvcc=of_version("13.0"), glibc="2.43")
        said = self.configured(environment)
        self.assertIn(f"{self.folder}/bin/nvcc is of CUDA 13.0, whose headers do not fit glibc 2.43, and 13.2 is needed", said)
        newer = self.program("breakeven/cuda/toolkit/bin/nvcc", of_version("13.2"))
        self.assertIn(f"{newer} does not compile here", self.configured(environment))


class SetupCudaTest(ToolkitsTest):
    def setup(self, **programs):
        """Has no registry and no venv: nothing is brought."""
        programs = {"python3": "exit 1", "nvcc": of_version("11.8"), **programs}
        return subprocess.run([SOURCE / "scripts/setup-cuda"], env=self.environment(**programs), capture_output=True, text=True)

    def test_a_driver_that_is_too_old_for_the_toolkit_is_refused_at_once(self):
        done = self.setup(nvidia_smi="echo 550.54.15; echo 550.54.15")
        self.assertEqual(done.returncode, 2)
        self.assertIn("the driver here is 550.54.15, and CUDA 13, which this would bring, needs 580 or later", done.stderr)
        self.assertIn("a toolkit of CUDA 12.4 to 12.9", done.stderr)

    def test_a_newer_driver_is_not(self):
        self.assertIn("needs python3 with venv", self.setup(nvidia_smi="echo 580.95.05").stderr)

    def test_a_toolkit_that_is_here_is_kept(self):
        done = self.setup(nvidia_smi="echo 550.54.15", nvcc=of_version("12.9"))
        self.assertNotIn("needs 580 or later", done.stderr)

    def test_glibc_decides_which_toolkit_is_needed(self):
        compiling = of_version("13.0").replace("exit 1", "exit 0")
        for glibc, nvcc, brought in [
            ("2.36", of_version("11.8"), "13.0"),
            ("2.41", of_version("12.9"), "13.0"),
            ("2.41", of_version("13.0"), None),
            ("2.42", of_version("13.0"), "13.2"),
            ("2.43", of_version("13.2"), None),
            ("2.43", compiling, None),  # a distribution has mended it
        ]:
            with self.subTest(glibc=glibc, nvcc=nvcc):
                self.program("breakeven/cuda/bin/python", "exit 0")  # has no pip, and says nothing
                done = self.setup(glibc=glibc, nvcc=nvcc, python3="exit 0", nvidia_smi="echo 580.95.05")
                self.assertEqual(done.returncode, 0, done.stderr)
                wanted = re.findall(r"cuda-toolkit\S*==(\S+)\.\*", done.stdout)
                self.assertEqual(wanted, [brought] if brought else [])
        self.assertEqual(done.stderr, "")

    def test_no_older_toolkit_is_advised_where_none_compiles(self):
        done = self.setup(nvidia_smi="echo 550.54.15", nvcc=of_version("12.9"), glibc="2.41")
        self.assertEqual(done.returncode, 2)
        self.assertIn("/nvcc is of CUDA 12.9, whose headers do not fit glibc 2.41, and 13.0 is needed", done.stderr)
        self.assertIn("or build where glibc is older than 2.41, with CUDA 12.4 to 12.9, and carry that here by scripts/gpu-pack", done.stderr)


if __name__ == "__main__":
    unittest.main()
