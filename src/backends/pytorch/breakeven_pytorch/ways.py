"""How a network's functions are run: eagerly, or compiled. Both are ways that users of PyTorch take."""

import os
import shutil
import warnings

import torch

from breakeven_worker.backend import Failed, Unsupported

_TORCHSCRIPT = "TorchScript, frozen and optimized"


def _refuse_without_graph(p):
    """`graph` is true by default, so that a row without CUDA graphs has it, too. A second one would be the same."""
    if not p.get("graph", True):
        raise Unsupported("nothing is recorded as a CUDA graph here: the row with graph = true is measured without one")


class Eager:
    name = "eager"
    suffix = ""
    optimizers = ["default", "fused"]
    predictors = ["eager"]

    def __init__(self, device):
        pass

    def start_case(self, p):
        """Before anything is made for it. Throws Unsupported."""
        _refuse_without_graph(p)

    def forget(self):
        """What was compiled for a case that is gone."""

    def begin(self):
        """A step, or a batch, begins."""

    def trained(self, function):
        """`function`, made fast for training."""
        return function

    def updated(self, function):
        """`function`, an optimiser's step, made fast."""
        return function

    def inferred(self, network, images, predictor):
        """`network`, made fast for inference of batches like `images` by one of `predictors`."""
        return network

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

    @property
    def predictors(self):
        # Frozen parameters are laid out for the kernels once, and what is written to them later is not seen.
        return [self.name, self._frozen(), _TORCHSCRIPT]

    def _frozen(self):
        return f"{self.name}, frozen parameters"

    def start_case(self, p):
        if not self._on_gpu:
            _refuse_without_graph(p)
        self._records = self._on_gpu and p.get("graph", True)

    def forget(self):
        # Otherwise functions of cases that are gone count against the limit behind which torch runs new ones eagerly.
        torch.compiler.reset()

    def begin(self):
        if self._records:
            torch.compiler.cudagraph_mark_step_begin()

    def trained(self, function):
        return self._compiled(function, whole=True)

    def updated(self, function):
        return self._compiled(function, whole=False)  # torch.optim itself breaks the graph

    def inferred(self, network, images, predictor):
        if predictor == _TORCHSCRIPT:
            return _in_torchscript(network, images)
        return self._compiled(network, whole=True, freezing=predictor == self._frozen())

    def kept(self, tensor):
        return tensor.clone() if self._records else tensor

    def inference_context(self):
        return torch.no_grad()  # freezing takes parameters that inference mode did not make

    def _compiled(self, function, whole, **options):
        options["triton.cudagraphs"] = self._records
        return torch.compile(function, fullgraph=whole, dynamic=False, options=options)


def _in_torchscript(network, images):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # TorchScript is deprecated, and fast where it has fused what it knows
        return torch.jit.optimize_for_inference(torch.jit.freeze(torch.jit.trace(network, images)))
