"""The modules that a backend program needs on this machine. They are checked before any module of this package
that needs NumPy is imported, so that the reason names the framework, and not a package that would come with it.
"""

import importlib.util
import json
import os
import re
import sys

from .ranks import own_ranks

# The names of modules in messages; pip uses the same names as Python.
NAMES = {"jax": "JAX", "numpy": "NumPy", "tensorflow": "TensorFlow", "torch": "PyTorch"}

# The names in pip of frameworks for GPUs, where they differ; {cuda} is a major version.
PACKAGES_FOR_GPUS = {"jax": "'jax[cuda{cuda}]'", "tensorflow": "'tensorflow[and-cuda]'"}

# At least one exists if NVIDIA's driver is installed: containers under gVisor lack the first, WSL has only the last.
DRIVER_FILES = ("/proc/driver/nvidia/version", "/dev/nvidiactl", "/dev/dxg")


def require_framework(module, on_gpu):
    """Refuses every request if the framework, NumPy or, for a GPU, NVIDIA's driver is not installed. What this Python lacks,
    the environment of scripts/setup-frameworks may have: then the program starts again with that one."""
    if on_gpu:
        require_nvidia_driver()
    package = PACKAGES_FOR_GPUS.get(module) if on_gpu else None
    if package:  # that environment's package is for CPUs
        require(module, "numpy", pip=package.format(cuda=cuda_of_driver()))
        return
    if _missing(module, "numpy"):
        _continue_in(environment_of_frameworks())
    require(module, "numpy", script="scripts/setup-frameworks")


def environment_of_frameworks():
    """The folder into which scripts/setup-frameworks installs."""
    data = os.environ.get("XDG_DATA_HOME") or os.path.join(os.path.expanduser("~"), ".local", "share")
    return os.path.join(data, "breakeven", "frameworks")


def _continue_in(environment):
    python = os.path.join(environment, "bin", "python")
    if os.access(python, os.X_OK) and os.path.realpath(sys.prefix) != os.path.realpath(environment):
        os.execv(python, [python, *sys.argv])


def cuda_of_driver():
    """The major version of CUDA that suits NVIDIA's driver: 13 needs driver 580. Where the driver does not say its version,
    it is taken for a new one."""
    try:
        with open(DRIVER_FILES[0], encoding="ascii", errors="replace") as file:
            version = re.search(r"^NVRM version:.*?\s(\d+)\.\d", file.read(), re.MULTILINE)
    except OSError:
        return 13
    return 12 if version and int(version[1]) < 580 else 13


def require(*modules, pip=None, script=None):
    """Refuses every request if modules are not installed. The reason names the first missing one, and the commands that
    install all. `pip` is the first module's name in pip, if it is different; `script` is one that installs them, too."""
    if missing := _missing(*modules):
        packages = [pip if pip and module == modules[0] else module for module in missing]
        remedies = [*([script] if script else []), f"pip install {' '.join(packages)}"]
        _refuse(f"{NAMES[missing[0]]} is not installed: {', or '.join(remedies)}")


def _missing(*modules):
    return [module for module in modules if importlib.util.find_spec(module) is None]


def has_nvidia_driver():
    return any(os.path.exists(path) for path in DRIVER_FILES)


def require_nvidia_driver():
    if not has_nvidia_driver():
        _refuse("no CUDA device can be used: NVIDIA's driver is not installed")


def _refuse(reason):
    ranks = own_ranks()
    for line in ranks.requests():
        ranks.answer(json.dumps({"ok": False, "status": "failed", "reason": reason}))
        if '"quit"' in line:
            break
    sys.exit(0)
