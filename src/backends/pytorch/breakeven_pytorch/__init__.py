"""PyTorch as its users run it: eager mode, default settings, and the better of its two memory formats."""

import re

import torch

from breakeven_worker import host
from breakeven_worker.backend import Backend

from . import conv2d, matmul, train_infer


def make_backend(threads, version):
    torch.set_num_threads(threads)
    device = torch.device("cpu")
    return Backend(
        name="pytorch",
        version=version,
        device="cpu",
        device_name=host.cpu_model(),
        libraries=_libraries(),
        operations=[*matmul.operations(device), *conv2d.operations(device), *train_infer.operations(device)],
    )


def _libraries():
    """Of those that compute, as torch.__config__ says."""
    config = torch.__config__.show()
    known = {"mkl": r"Math Kernel Library Version (\S+)", "onednn": r"MKL-DNN v(\S+)"}
    found = {name: re.search(pattern, config) for name, pattern in known.items()}
    return {"torch": torch.__version__, **{name: match[1] for name, match in found.items() if match}}
