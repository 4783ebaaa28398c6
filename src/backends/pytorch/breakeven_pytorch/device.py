"""The device on which PyTorch computes: this machine's CPU, or the first GPU in CUDA_VISIBLE_DEVICES, or the one after
it for each further rank on this host."""

import os
import re

import torch

from breakeven_worker import devices, host
from breakeven_worker.backend import Failed
from breakeven_worker.cudnn import version_text
from breakeven_worker.ranks import own_ranks


class _Torch:
    def begin_case(self, parameters):
        super().begin_case(parameters)
        deterministic = parameters.get("deterministic", False)
        if hasattr(torch.utils, "deterministic"):  # filling memory that a correct program does not read takes time
            torch.utils.deterministic.fill_uninitialized_memory = False
        if deterministic != torch.are_deterministic_algorithms_enabled():  # a change imports the compiler
            torch.use_deterministic_algorithms(deterministic)
        self.search_algorithms(parameters.get("tuned", True) and not deterministic)

    def complete(self, prepared):
        super().complete(prepared)
        prepared.wait = self.wait


class Cpu(_Torch, devices.Cpu):
    name = "pytorch"
    torch_device = torch.device("cpu")
    dtypes = ["f64", "f32", "f16", "bf16", "f8e4m3", "s8"]

    def __init__(self):
        super().__init__()
        config = torch.__config__.show()
        known = {"mkl": r"Math Kernel Library Version (\S+)", "onednn": r"MKL-DNN v(\S+)"}
        found = {name: re.search(pattern, config) for name, pattern in known.items()}
        self.libraries = {name: match[1] for name, match in found.items() if match}

    def search_algorithms(self, _tuned):
        pass  # the CPU has no such search

    def wait(self):
        pass  # the work is done when a call returns

    def release_memory(self):
        pass  # its allocator is the host's

    def cache_bytes(self):
        return host.total_cache_bytes()


class Gpu(_Torch, devices.Gpu):
    name = "pytorch-cuda"

    def __init__(self):
        try:
            torch.cuda.init()
        except (RuntimeError, AssertionError) as e:  # no driver, no device; a build without CUDA
            raise Failed(f"no CUDA device can be used by torch {torch.__version__}: {e}") from None
        # A launcher may have left one GPU visible to each rank.
        index = own_ranks().index_on_host % torch.cuda.device_count()
        torch.cuda.set_device(index)
        self.torch_device = torch.device("cuda", index)
        _let_cublas_be_deterministic(self.torch_device)
        facts = torch.cuda.get_device_properties(index)
        self.device_name = facts.name
        # torch's uuid lacks the prefix that distinguishes GPUs from MIG partitions; older versions have no uuid.
        self.device_id = f"GPU-{facts.uuid}" if hasattr(facts, "uuid") else ""
        if facts.major < 8:
            self.drop_ampere_dtypes()
        self.libraries = {"cuda": torch.version.cuda}
        if torch.backends.cudnn.is_available():
            self.libraries["cudnn"] = version_text(torch.backends.cudnn.version())
        # Sums are in f32, as everywhere in breakeven, also if they are split among thread blocks.
        torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
        torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False
        self._flushed = None

    def use_precision(self, dtype):
        """Sets the precision of all later calls. The defaults are f32 for products and TF32 in cuDNN."""
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = dtype == "tf32"
        # The fast path of transformer encoders approximates GELU by tanh on GPUs, which is too coarse for f32.
        torch.backends.mha.set_fastpath_enabled(dtype != "f32")

    def search_algorithms(self, tuned):
        """Lets cuDNN search for the fastest convolution, as PyTorch's tuning guide recommends."""
        torch.backends.cudnn.benchmark = tuned

    def wait(self):
        torch.cuda.synchronize()

    def is_lost(self):
        return devices.fails_twice(torch.cuda.synchronize)

    def flush(self):
        """Replaces the contents of the caches."""
        if self._flushed is None:
            size = 4 * self.cache_bytes()
            self._flushed = torch.empty(size, dtype=torch.uint8, device=self.torch_device)
        self._flushed.zero_()
        self.wait()
        return True

    def release_memory(self):
        """Returns the released memory that torch keeps to the driver, for other backends on the same GPU, and pinned
        memory to the host."""
        torch.cuda.synchronize()  # pinned memory is kept until the copies that use it are done
        torch.cuda.empty_cache()
        if empty_host_cache := getattr(torch._C, "_host_emptyCache", None):  # older versions of torch lack it
            empty_host_cache()

    def cache_bytes(self):
        return torch.cuda.get_device_properties(self.torch_device).L2_cache_size

    def available_memory(self):
        # torch can use the released memory that it keeps again.
        free, _ = torch.cuda.mem_get_info()
        return free + torch.cuda.memory_reserved() - torch.cuda.memory_allocated()


def _let_cublas_be_deterministic(torch_device):
    """Without this variable at its first product, torch refuses cuBLAS where a case is deterministic. Its value is torch's
    own default on Hopper. Afterwards it is removed: torch 2.11 reads it again in every product, by a regular expression.
    Where it stayed set, torch.mm of 256 took 48 to 62 us beside an H200 (docs/cuda-backend.md)."""
    variable = "CUBLAS_WORKSPACE_CONFIG"
    if variable in os.environ:
        return  # the user's
    os.environ[variable] = ":4096:8"
    one = torch.ones((1, 1), device=torch_device)
    torch.mm(one, one)
    del os.environ[variable]
