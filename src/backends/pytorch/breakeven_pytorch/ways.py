"""How a network's functions are run: eagerly, or compiled. Both are ways that users of PyTorch take."""

import os
import shutil

import torch

from breakeven_worker.backend import Failed


class Eager:
    name = "eager"
    suffix = ""
    optimizers = ["default", "fused"]
    parameters = ["parameters as they are"]

    def __init__(self, device):
        pass

    def forget(self):
        """What was compiled for the case before."""

    def begin(self):
        """A step, or a batch, begins."""

    def trained(self, function, p):
        """`function`, made fast for training."""
        return function

    def updated(self, function, p):
        """`function`, an optimiser's step, made fast."""
        return function

    def inferred(self, function, p, parameters):
        """`function`, made fast for inference, with one kind of `parameters`."""
        return function

    def kept(self, tensor):
        """A result that outlives the next step."""
        return tensor

    def inference_context(self):
        return torch.inference_mode()


class Compiled:
    """torch.compile with its default backend. Forward pass and loss are one graph without breaks, and its backward pass
    is another; on a GPU both are recorded as CUDA graphs, unless the parameter `graph` says no, and mode="reduce-overhead"
    is what asks for that. The optimiser is the better of torch.optim's fused one and its step compiled."""

    suffix = "-compiled"
    optimizers = ["fused", "compiled"]
    # Frozen ones are laid out for the kernels once, and what is written to them later is not seen.
    parameters = ["parameters as they are", "frozen parameters"]

    def __init__(self, device):
        compiler = os.environ.get("CXX", "g++")
        if shutil.which(compiler) is None:
            raise Failed(f"torch.compile needs a C++ compiler, and there is no {compiler}: install g++, or set CXX")
        self._on_gpu = device.kind == "gpu"
        self._records = False
        # A compiler in this process alone: others would stay beside what is measured.
        torch._inductor.config.compile_threads = 1

    @property
    def name(self):
        return "torch.compile with CUDA graphs" if self._records else "torch.compile"

    def forget(self):
        # Otherwise functions of cases that are gone count against the limit behind which torch runs new ones eagerly.
        torch.compiler.reset()

    def begin(self):
        if self._records:
            torch.compiler.cudagraph_mark_step_begin()

    def trained(self, function, p):
        return self._compiled(function, p, whole=True)

    def updated(self, function, p):
        return self._compiled(function, p, whole=False)  # torch.optim itself breaks the graph

    def inferred(self, function, p, parameters):
        return self._compiled(function, p, whole=True, freezing=parameters == "frozen parameters")

    def kept(self, tensor):
        return tensor.clone() if self._records else tensor

    def inference_context(self):
        return torch.no_grad()  # freezing takes parameters that inference mode did not make

    def _compiled(self, function, p, whole, **options):
        self._records = self._on_gpu and p.get("graph", True)
        options["triton.cudagraphs"] = self._records
        return torch.compile(function, fullgraph=whole, dynamic=False, options=options)
