"""Where PyTorch computes: this machine's CPU, or its first GPU that CUDA_VISIBLE_DEVICES leaves."""

import re

import torch

from breakeven_worker import devices, host
from breakeven_worker.backend import Failed
from breakeven_worker.cudnn import version_text


class _Torch:
    def begin_case(self, parameters):
        super().begin_case(parameters)
        self.search_algorithms(parameters.get("tuned", True))

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
        pass  # it does not

    def wait(self):
        pass  # the work is done when a call returns

    def release_memory(self):
        pass  # its allocator is the host's

    def cache_bytes(self):
        return host.total_cache_bytes()


class Gpu(_Torch, devices.Gpu):
    name = "pytorch-cuda"
    dtypes = ["f64", "f32", "tf32", "f16", "bf16", "f8e4m3", "s8"]
    unreadable = {"device_seconds": "PyTorch's time is what its user waits for, launches included"}

    def __init__(self):
        try:
            torch.cuda.init()
        except (RuntimeError, AssertionError) as e:  # no driver, no device; a build without CUDA
            raise Failed(f"no CUDA device can be used by torch {torch.__version__}: {e}") from None
        self.torch_device = torch.device("cuda", 0)
        facts = torch.cuda.get_device_properties(0)
        self.device_name = facts.name
        # Without the prefix by which the driver's tools tell cards from parts of one; older torch has none.
        self.device_id = f"GPU-{facts.uuid}" if hasattr(facts, "uuid") else ""
        if facts.major < 8:
            self.drop_ampere_dtypes()
        self.libraries = {"cuda": torch.version.cuda}
        if torch.backends.cudnn.is_available():
            self.libraries["cudnn"] = version_text(torch.backends.cudnn.version())
        # Sums in f32, as everywhere in breakeven: also where they are split among blocks.
        torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
        torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False
        self._flushed = None

    def use_precision(self, dtype):
        """Holds for all that is called from now on. Products would be f32 by default, and cuDNN's TF32."""
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = dtype == "tf32"
        # The fast path of transformer encoders approximates GELU by tanh on GPUs, which is too coarse for f32.
        torch.backends.mha.set_fastpath_enabled(dtype != "f32")

    def search_algorithms(self, tuned):
        """For the fastest convolution, as whoever cares for speed and has read the tuning guide lets it do."""
        torch.backends.cudnn.benchmark = tuned

    def wait(self):
        torch.cuda.synchronize()

    def flush(self):
        """What the caches hold makes way for other memory."""
        if self._flushed is None:
            size = 4 * self.cache_bytes()
            self._flushed = torch.empty(size, dtype=torch.uint8, device=self.torch_device)
        self._flushed.zero_()
        self.wait()
        return True

    def release_memory(self):
        """What torch keeps of released memory, other backends of the same card can have."""
        torch.cuda.empty_cache()

    def cache_bytes(self):
        return torch.cuda.get_device_properties(0).L2_cache_size

    def available_memory(self):
        # What torch keeps of released memory is its own to give again.
        free, _ = torch.cuda.mem_get_info()
        return free + torch.cuda.memory_reserved() - torch.cuda.memory_allocated()
