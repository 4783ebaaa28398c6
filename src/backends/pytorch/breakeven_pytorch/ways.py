"""Ways to run a network's functions: eagerly, or compiled. Users of PyTorch do both."""

import os
import shutil
import warnings

import torch

from breakeven_worker.backend import Failed, Unsupported

_TORCHSCRIPT = "TorchScript, frozen and optimized"
# An "optimizer" of training: the fused one, where all of a step is recorded together.
WHOLE_STEP = "whole step in one CUDA graph, fused"
_WHOLE_BATCH = "torch.compile, whole batch in one CUDA graph"


def _refuse_without_graph(p):
    """Refuses graph = false. `graph` is true by default, so a case without CUDA graphs has it, too, and a
    second one would be the same."""
    if not p.get("graph", True):
        raise Unsupported("nothing is recorded as a CUDA graph here: the row with graph = true is measured without one")


class Eager:
    name = "eager"
    suffix = ""
    in_ranks = True
    optimizers = ["default", "fused"]
    predictors = ["eager"]

    def __init__(self, device):
        pass

    def start_case(self, p):
        """Called before anything is made for a case. Throws Unsupported."""
        _refuse_without_graph(p)

    def forget(self):
        """Removes functions that were compiled for an earlier case."""

    def begin(self):
        """Marks the beginning of a step or a batch."""

    def trained(self, function, optimizer):
        """Returns `function` in its fast form for training with one of `optimizers`."""
        return function

    def updated(self, function):
        """Returns an optimiser's step in its fast form."""
        return function

    def inferred(self, network, images, predictor):
        """Returns `network` in its fast form for inference of batches like `images`, by one of `predictors`."""
        return network

    def kept(self, tensor):
        """Returns a result that remains valid after the next step."""
        return tensor

    def inference_context(self):
        return torch.inference_mode()


class Compiled:
    """torch.compile with its default backend. Forward pass and loss are one graph without breaks, and their backward
    pass is another. On a GPU both are recorded as CUDA graphs, as with mode="reduce-overhead", unless the parameter
    `graph` is false. The optimiser is torch.optim's fused one or its compiled step, whichever is faster.

    Where graphs are recorded, one of a whole step or batch is tried, too: torch.cuda.graph around compiled functions,
    as "Whole-network capture" in PyTorch's notes on CUDA graphs. A step is three launches: the copy of its rows' numbers,
    the graph, and the copy of its loss, which the next step overwrites."""

    suffix = "-compiled"
    in_ranks = False

    def __init__(self, device):
        compiler = os.environ.get("CXX", "g++")
        if shutil.which(compiler) is None:
            raise Failed(f"torch.compile needs a C++ compiler, and there is no {compiler}: install g++, or set CXX")
        self._on_gpu = device.kind == "gpu"
        self._records = False
        # Compile in this process: worker processes would keep running during the measurement.
        torch._inductor.config.compile_threads = 1

    @property
    def name(self):
        return "torch.compile with CUDA graphs" if self._records else "torch.compile"

    @property
    def optimizers(self):
        return ["fused", "compiled", *([WHOLE_STEP] if self._records else [])]

    @property
    def predictors(self):
        # Frozen parameters are reordered for the kernels once, and later changes to them have no effect.
        return [self.name, self._frozen(), _TORCHSCRIPT, *([_WHOLE_BATCH] if self._records else [])]

    def _frozen(self):
        return f"{self.name}, frozen parameters"

    def start_case(self, p):
        if not self._on_gpu:
            _refuse_without_graph(p)
        self._records = self._on_gpu and p.get("graph", True)

    def forget(self):
        # Otherwise functions of earlier cases count towards the limit above which torch runs new ones eagerly.
        torch.compiler.reset()

    def begin(self):
        if self._records:
            torch.compiler.cudagraph_mark_step_begin()

    def trained(self, function, optimizer):
        return self._compiled(function, whole=True, records=optimizer != WHOLE_STEP)

    def updated(self, function):
        return self._compiled(function, whole=False)  # torch.optim itself breaks the graph

    def inferred(self, network, images, predictor):
        if predictor == _TORCHSCRIPT:
            return _in_torchscript(network, images)
        if predictor == _WHOLE_BATCH:
            return Recorded(self._compiled(network, whole=True, records=False))
        return self._compiled(network, whole=True, freezing=predictor == self._frozen())

    def kept(self, tensor):
        return tensor.clone() if self._records else tensor

    def inference_context(self):
        return torch.no_grad()  # freezing does not accept parameters made outside inference mode

    def _compiled(self, function, whole, records=True, **options):
        options["triton.cudagraphs"] = self._records and records
        return torch.compile(function, fullgraph=whole, dynamic=False, options=options)


class Recorded:
    """A function of tensors that is recorded as one CUDA graph at its first call, and replayed from then on. Its result
    is valid until the next call.

    The function may change other tensors in place, such as parameters: each replay does that again. So do the runs
    before the recording, which torch.cuda.graph requires."""

    _RUNS_BEFORE = 3

    def __init__(self, function):
        self._function = function
        self._graph = None

    def __call__(self, *inputs):
        if self._graph is None:
            self._record(inputs)
        for recorded, given in zip(self._inputs, inputs):
            recorded.copy_(given, non_blocking=True)
        self._graph.replay()
        return self._result

    def _record(self, inputs):
        self._inputs = [given.clone() for given in inputs]
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(self._RUNS_BEFORE):
                self._function(*self._inputs)
        torch.cuda.current_stream().wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self._result = self._function(*self._inputs)
        self._graph = graph


def _in_torchscript(network, images):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # TorchScript is deprecated, but fast if it can fuse the layers
        return torch.jit.optimize_for_inference(torch.jit.freeze(torch.jit.trace(network, images)))
