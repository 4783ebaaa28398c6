"""Tests that the reason for a missing framework names it and its installation, whatever else is missing."""

import sys
import types
import unittest
from unittest import mock

from backend_program import BUILD, BackendProgram, FolderTest
from breakeven_worker import requirements

FRAMEWORKS = {"jax": "JAX", "tensorflow": "TensorFlow", "pytorch": "PyTorch"}
PACKAGES = {
    "jax": "jax",
    "jax-cuda": "'jax[cuda13]'",
    "tensorflow": "tensorflow",
    "tensorflow-cuda": "'tensorflow[and-cuda]'",
    "pytorch": "torch",
    "pytorch-cuda": "torch",
    "pytorch-compiled": "torch",
    "pytorch-cuda-compiled": "torch",
}


class FrameworksMissing(FolderTest):
    def started(self, name, *prefix):
        """A backend without site-packages: there is neither a framework nor NumPy."""
        command = [sys.executable, "-I", "-S", *prefix, BUILD / f"breakeven-backend-{name}"]
        program = BackendProgram(command, environment={"XDG_DATA_HOME": str(self.folder)})
        self.addCleanup(program.kill)
        return program

    def hello(self, name, *prefix):
        program = self.started(name, *prefix)
        self.assertFalse(program.hello["ok"])
        return program

    def test_every_program_is_named_here(self):
        prefix = "breakeven-backend-"
        built = [path.name.removeprefix(prefix) for path in BUILD.glob(prefix + "*")]
        self.assertEqual(sorted(name for name in built if name.split("-")[0] in FRAMEWORKS), sorted(PACKAGES))

    def test_the_reason_is_the_framework(self):
        with_driver = "import runpy, os, sys; os.path.exists = lambda path: True; runpy.run_path(sys.argv[1], run_name='__main__')"
        for name, package in PACKAGES.items():
            with self.subTest(name):
                program = self.hello(name, "-c", with_driver)
                framework = FRAMEWORKS[name.split("-")[0]]
                script = "" if package.startswith("'") else "scripts/setup-frameworks, or "
                self.assertEqual(program.hello["reason"], f"{framework} is not installed: {script}pip install {package} numpy")
                self.assertEqual(program.quit(), 0)

    def test_what_python3_lacks_the_environment_of_frameworks_has(self):
        python = self.folder / "breakeven" / "frameworks" / "bin" / "python"
        python.parent.mkdir(parents=True)
        python.write_text("""#!/bin/sh\nread -r line; echo "{\\"ok\\": true, \\"started\\": \\"$1 $2\\"}"\n""")
        python.chmod(0o755)
        for name in ("jax", "pytorch"):
            self.assertEqual(self.started(name).hello["started"], f"{BUILD}/breakeven-backend-{name} ")
        python.write_text(f'#!/bin/sh\nexec {sys.executable} -I -S -c "import sys; sys.prefix = {str(python.parents[1])!r};'
                          """import runpy; runpy.run_path(sys.argv[1], run_name='__main__')" "$@"\n""")  # fmt: skip
        self.assertIn("JAX is not installed", self.hello("jax").hello["reason"])  # and it does not start itself for ever

    @unittest.skipIf(requirements.has_nvidia_driver(), "NVIDIA's driver is here")
    def test_a_missing_driver_is_the_first_reason(self):
        for name in PACKAGES:
            if "-cuda" in name:
                reason = self.hello(name).hello["reason"]
                self.assertEqual(reason, "no CUDA device can be used: NVIDIA's driver is not installed")


class Requirements(unittest.TestCase):
    def reason(self, check):
        """The reason for which a request is refused; None if it is accepted."""
        answers = []
        ranks = types.SimpleNamespace(requests=lambda: ['{"request": "quit"}\n'], answer=answers.append)
        with mock.patch.object(requirements, "own_ranks", lambda: ranks):
            try:
                check()
            except SystemExit:
                return answers[0]
        return None

    def test_cuda_is_one_that_the_driver_serves(self):
        for module, driver, cuda in [
            ("NVIDIA UNIX x86_64 Kernel Module", "550.54.15", 12),
            ("NVIDIA UNIX Open Kernel Module for x86_64", "580.95.05", 13),
        ]:
            text = f"NVRM version: {module}  {driver}  Release Build\nGCC version:  gcc version 12.2.0\n"
            with mock.patch("builtins.open", mock.mock_open(read_data=text)):
                self.assertEqual(requirements.cuda_of_driver(), cuda)
        with mock.patch("builtins.open", side_effect=FileNotFoundError):
            self.assertEqual(requirements.cuda_of_driver(), 13)

    def test_any_file_of_the_driver_will_do(self):
        for there in requirements.DRIVER_FILES:
            with mock.patch("os.path.exists", lambda path: path == there):
                self.assertIsNone(self.reason(requirements.require_nvidia_driver), there)
        self.assertIn("/dev/nvidiactl", requirements.DRIVER_FILES)
        with mock.patch("os.path.exists", lambda path: False):
            self.assertIn("NVIDIA's driver is not installed", self.reason(requirements.require_nvidia_driver))

    def test_only_what_is_missing_is_to_be_installed(self):
        with mock.patch("importlib.util.find_spec", lambda module: None if module == "numpy" else module):
            reason = self.reason(lambda: requirements.require("torch", "numpy"))
        self.assertIn("NumPy is not installed: pip install numpy", reason)


if __name__ == "__main__":
    unittest.main()
