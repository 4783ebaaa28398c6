"""What a backend program needs on this machine. It is checked before anything else of this package is imported, so that
the reason names the framework, and not a package that would come with it.
"""

import importlib.util
import json
import os
import sys

# How people call what a module brings; pip calls it as Python does.
NAMES = {"jax": "JAX", "numpy": "NumPy", "tensorflow": "TensorFlow", "torch": "PyTorch"}


def require(*modules):
    """Where one of the modules is not installed, every request is refused with that reason."""
    for module in modules:
        if importlib.util.find_spec(module) is None:
            _refuse(f"{NAMES[module]} is not installed: pip install {module}")


def require_nvidia_driver():
    if not any(os.path.exists(path) for path in ("/proc/driver/nvidia/version", "/dev/dxg")):
        _refuse("no CUDA device can be used: NVIDIA's driver is not installed")


def _refuse(reason):
    for line in sys.stdin:
        print(json.dumps({"ok": False, "status": "failed", "reason": reason}), flush=True)
        if '"quit"' in line:
            break
    sys.exit(0)
