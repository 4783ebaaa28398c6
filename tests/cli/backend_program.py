"""Where the tests in Python find things, and the backend programs of bench/programs.py, which they ask."""

import os
import pathlib
import subprocess
import sys

SOURCE = pathlib.Path(os.environ["BREAKEVEN_SOURCE"])
BUILD = pathlib.Path(os.environ["BREAKEVEN_BUILD"])
sys.path.insert(0, str(SOURCE / "bench"))

from programs import FASHION_MNIST, BackendProgram, conv2d, infer, matmul, train  # noqa: E402, F401

SKIPPED = 77
SYSTEM_PYTHON = "/usr/bin/python3"  # has Debian's packages, unlike a virtual environment in PATH


def python_with_numpy():
    """The Python that the worker's loop needs; None if no Python here has NumPy."""
    for python in (sys.executable, SYSTEM_PYTHON):
        if os.path.exists(python) and subprocess.run([python, "-c", "import numpy"], capture_output=True).returncode == 0:
            return python
    return None


def skip_unless_available(program):
    """Skips the whole file if the backend program is not available."""
    asked = BackendProgram([program])
    asked.kill()
    if not asked.hello["ok"]:
        skip(asked.hello["reason"])


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)
