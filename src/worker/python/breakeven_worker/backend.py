"""What a backend program in Python is made of."""

import importlib
import pkgutil
import sys
from contextlib import nullcontext
from dataclasses import dataclass, field


class Failed(Exception):
    """A request that cannot be met, in words for whoever sent it."""


class Unsupported(Exception):
    """This backend cannot do the case, and why. Not a failure."""


class OutOfMemory(Exception):
    """The case needs more memory than there is."""


class Prepared:
    """A prepared case: inputs made, memory allocated. Nothing is left to set up."""

    algorithm = ""  # what the library chose, as exactly as it says
    measures_latency = False  # every iteration is timed alone
    operand_sets = 1  # of operands and result, which the runs take in turn (operand_sets.py)

    def prepare_runs(self, runs):
        """Called before each sample, where nothing is timed: run() is called `runs` times next."""

    def run(self):
        """Does the work once. This, and wait(), is all that is timed."""
        raise NotImplementedError

    def bring(self):
        """Of a device with memory of its own, where the case moves data (docs/worker-protocol.md): sends what run()
        reads from the host's memory to the device's, before the runs of an iteration."""

    def fetch(self):
        """And the result back, after them. False where nothing comes back that the host waits for."""
        return False

    def context(self):
        """A mode of the library that run() and show() are called in."""
        return nullcontext()

    def flush(self):
        """Puts what run() reads and writes out of the device's caches; False where they are the host's, which the
        caller flushes."""
        return False

    def wait(self):
        """Returns when the work of all runs so far is done; a CPU's is when run() returns."""

    def show(self, elements):
        """Runs one iteration afresh (where operands rotate, one for each set) and answers the evidence as keyword arguments: elements, projections, losses."""
        raise NotImplementedError

    def take_losses(self):
        """Training only: the losses of the steps run() has taken since the last call."""
        return []

    def train_epoch(self):
        """Training only: one epoch over the whole training set, as an Epoch."""
        raise Unsupported("this operation has no epochs")


@dataclass
class Epoch:
    """One epoch of training, timed as a whole. Losses are of every step, before its update."""

    seconds: float
    evaluation_seconds: float
    accuracy: float
    losses: list


@dataclass
class Transfer:
    """What the parameters `transfer` and `repetitions` ask for; see src/workloads/transfer.h."""

    policy: str = "resident"
    repetitions: int = 1  # runs in one iteration

    @property
    def moves(self):
        return self.policy != "resident"

    @staticmethod
    def of(parameters):
        policy = parameters.get("transfer", "resident")
        return Transfer(policy, parameters["repetitions"] if policy == "once" else 1)


@dataclass
class Operation:
    """One operation of a backend. prepare(parameters, seed) gives a Prepared."""

    op: str
    dtypes: list
    prepare: object


def operations_of(package, device, left_out=()):
    """What operations(device) of each module of the package `package` gives; of none of the modules `left_out`."""
    names = [module.name for module in pkgutil.iter_modules(sys.modules[package].__path__)]
    modules = [importlib.import_module(f"{package}.{name}") for name in names]
    return [o for module in modules if hasattr(module, "operations") and module not in left_out for o in module.operations(device)]


@dataclass
class Backend:
    name: str
    version: str
    device: str = "cpu"  # or "gpu"
    device_name: str = ""
    device_id: str = ""  # which GPU: its UUID, as the driver's tools show it; empty: cannot be said
    libraries: dict = field(default_factory=dict)  # name -> version
    library_files: dict = field(default_factory=dict)  # name -> the file that was loaded
    operations: list = field(default_factory=list)
    unreadable: dict = field(default_factory=dict)  # figure -> why it is not told
    release: object = lambda: None  # gives back what the library keeps of a case that is gone
