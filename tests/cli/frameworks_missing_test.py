"""Where a framework is not installed, the reason names it and says how to get it, whatever else is missing."""

import pathlib
import sys
import unittest

from backend_program import BUILD, BackendProgram

FRAMEWORKS = {"jax": ("JAX", "jax"), "tensorflow": ("TensorFlow", "tensorflow"), "pytorch": ("PyTorch", "torch")}


class FrameworksMissing(unittest.TestCase):
    def test_the_reason_is_the_framework(self):
        programs = sorted(path for name in FRAMEWORKS for path in BUILD.glob(f"breakeven-backend-{name}*"))
        self.assertGreaterEqual(len(programs), len(FRAMEWORKS))
        for path in programs:
            with self.subTest(path.name):
                # Without site-packages there is neither a framework nor NumPy.
                program = BackendProgram([sys.executable, "-I", "-S", path])
                self.assertFalse(program.hello["ok"])
                name, package = FRAMEWORKS[path.name.split("-")[2]]
                if "-cuda" in path.name and not pathlib.Path("/proc/driver/nvidia/version").exists():
                    self.assertIn("NVIDIA's driver is not installed", program.hello["reason"])
                else:
                    self.assertEqual(program.hello["reason"], f"{name} is not installed: pip install {package}")
                self.assertEqual(program.quit(), 0)


if __name__ == "__main__":
    unittest.main()
