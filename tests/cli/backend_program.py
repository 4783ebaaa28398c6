"""Where the tests in Python find things, and the backend programs of bench/programs.py, which they ask."""

import importlib.machinery
import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["BREAKEVEN_SOURCE"])
BUILD = pathlib.Path(os.environ["BREAKEVEN_BUILD"])
WORKER = SOURCE / "src" / "worker" / "python"
sys.path[:0] = [str(SOURCE / "bench"), str(WORKER)]

from breakeven_worker.requirements import environment_of_frameworks  # noqa: E402
from programs import FASHION_MNIST, BackendProgram, conv2d, infer, matmul, train  # noqa: E402, F401

SIMULATED = BUILD / "tests" / "simulated" / "breakeven-backend-simulated"
os.environ["BREAKEVEN_SIMULATED_CLOCK"] = "1"  # lets drivers that tests start use the simulated backend
SKIPPED = 77
SYSTEM_PYTHON = "/usr/bin/python3"  # has Debian's packages, unlike a virtual environment in PATH
# Git in a test must not write to the repository of a hook that runs the tests.
for name in [name for name in os.environ if name.startswith("GIT_")]:
    del os.environ[name]
# Lets mpirun start ranks as root, and more of them than this machine has cores.
MPIRUN_ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",  # Open MPI 5 reads only this one
    "ASAN_OPTIONS": "detect_leaks=0",  # MPI leaks
}


def folder_until(add_cleanup):
    """Makes a folder that lasts until the cleanup of a test, or of a class of tests."""
    temporary = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)  # a browser may still write to it
    add_cleanup(temporary.cleanup)
    return pathlib.Path(temporary.name).resolve()


class FolderTest(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self):
        self.folder = folder_until(self.addCleanup)


def python_with(module):
    """The first Python that has the module: this one, the system's or that of scripts/setup-frameworks; None without one."""
    for python in (sys.executable, SYSTEM_PYTHON, os.path.join(environment_of_frameworks(), "bin", "python")):
        command = [python, "-c", f"import importlib.util, sys; sys.exit(importlib.util.find_spec({module!r}) is None)"]
        if os.access(python, os.X_OK) and subprocess.run(command, capture_output=True).returncode == 0:
            return python
    return None


def load_script(name):
    """The module that scripts/NAME is."""
    loader = importlib.machinery.SourceFileLoader(name, str(SOURCE / "scripts" / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


def use_python_with(*modules, remedy):
    """Continues with a Python that has the first of these modules, or else the next; skips the test if no Python has one."""
    python = next(filter(None, map(python_with, modules)), None)
    if python is None:
        skip(f"no Python module {' or '.join(modules)}; {remedy}")
    if python != sys.executable:
        os.execv(python, [python, *sys.argv])


def use_python_with_numpy():
    use_python_with("numpy", remedy="on Debian and Ubuntu: apt-get install python3-numpy")


def expect_refusals(test, program, refusals):
    """Sends each request, as text or as its members, which must be refused with this status and a reason."""
    for request, status in refusals:
        answer = program.send(request if isinstance(request, str) else json.dumps(request))
        test.assertEqual((answer["ok"], answer.get("status")), (False, status), (request, answer))
        test.assertTrue(answer["reason"])


def is_alive(pid):
    """True if the process runs; false also for one that has ended and whose parent has not asked for its status."""
    try:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def mpirun_is_open_mpi():
    """True if the mpirun in PATH is Open MPI's."""
    if not shutil.which("mpirun"):
        return False
    return "Open MPI" in subprocess.run(["mpirun", "--version"], capture_output=True, text=True).stdout


def skip_unless_available(program):
    """Skips the whole file if the backend program is not available."""
    asked = BackendProgram([program])
    asked.kill()
    if not asked.hello["ok"]:
        skip(asked.hello["reason"])


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)
