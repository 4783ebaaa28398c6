"""The interface of backend programs in Python."""

import importlib
import pkgutil
import sys
from contextlib import nullcontext
from dataclasses import dataclass, field

from . import host


class Failed(Exception):
    """A request that cannot be fulfilled, with the reason."""


class Unsupported(Exception):
    """This backend cannot compute the case, with the reason. Not a failure."""


class OutOfMemory(Exception):
    """The case needs more memory than is available."""


# Words of errors about memory that ends outside of a framework's own allocator: in cuBLAS, cuDNN, modules and graphs of
# CUDA, pinned memory, and on the host.
_OF_FULL_MEMORY = (
    "out of memory",
    "out_of_memory",
    "alloc_failed",
    "allocation_failed",
    "resource_exhausted",
    "can't allocate memory",
    "dst tensor is not initialized",  # TensorFlow, where a copy to the device found no room
)


def out_of_memory_in(error):
    """The OutOfMemory that a library's error stands for by its words; None if they are of something else."""
    for line in str(error).splitlines():
        if any(words in line.lower() for words in _OF_FULL_MEMORY):
            return OutOfMemory(line.strip())
    return None


class Prepared:
    """A prepared case: inputs are made, memory is allocated. No setup is left."""

    algorithm = ""  # that the library selected, as exactly as it reports it
    measures_latency = False  # every iteration is timed separately; set from the request
    reads_host = False  # run() reads or writes host memory, although another device computes
    operand_sets = 1  # sets of operands and result that the runs use in turn (operand_sets.py)

    def prepare_runs(self, runs):
        """Called before each sample, outside of the timed part. `runs` is the number of calls of run() that follow."""

    def run(self):
        """Does the work once. Only this, the transfers and wait() are timed."""
        raise NotImplementedError

    def copy_inputs_to_device(self):
        """For a device with its own memory, if the case moves data (docs/worker-protocol.md): copies the inputs of
        run() from host to device memory, before the runs of an iteration."""

    def copy_outputs_to_host(self):
        """Copies the result to host memory, after the runs. False if there is no result for which the host waits."""
        return False

    def start_together(self):
        """With several ranks, returns when all of them are ready. Called before each reading of the clock that begins
        timed work."""

    def take_communication_seconds(self):
        """With several ranks, the seconds for which the runs since the last call waited for communication; None where
        that is unknown."""
        return None

    def context(self):
        """The context in which run() and show() are called, such as a mode of the library."""
        return nullcontext()

    def flush(self):
        """Removes the data that run() reads and writes from the device's caches. False if it is in the host's caches,
        which the caller flushes. The first call allocates what the others need."""
        return False

    def wait(self):
        """Returns when the work of all runs so far is done. On a CPU it is done when run() returns."""

    def show(self, elements):
        """Runs one new iteration (with rotating operands, one for each set) and returns the evidence as keyword
        arguments: elements, projections, losses."""
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
    """The meaning of the parameters `transfer` and `repetitions`; see src/workloads/transfer.h."""

    policy: str = "resident"
    repetitions: int = 1  # runs in one iteration

    @property
    def moves(self):
        return self.policy != "resident"

    @staticmethod
    def of(parameters):
        policy = parameters.get("transfer", "resident")
        return Transfer(policy, parameters["repetitions"] if policy == "once" else 1)


class Case(dict):
    """The parameters of a case by name, where a default stands for another value with that value; and the bytes that
    the case needs at once."""

    memory_bytes = 0

    def __missing__(self, key):
        raise Failed(f"the case has no parameter '{key}'")


@dataclass
class Operation:
    """One operation of a backend. prepare(case, seed) returns a Prepared."""

    op: str
    dtypes: list
    prepare: object
    copies: int = 1  # of all operands and results in memory at once: the framework's beside numpy's, say
    racing: int = 1  # ways of a case that race, each with its own copies
    # On a GPU, copies of all operands and results that are in the host's memory at once, and how many more where the
    # case moves data.
    host_copies: int = 0
    moved_copies: int = 0
    in_ranks: bool = False  # several ranks can compute it together
    refused: dict = field(default_factory=dict)  # dtype -> why it is not among `dtypes`

    def copies_on_host(self, case):
        return self.host_copies + (self.moved_copies if Transfer.of(case).moves else 0)


def operations_of(package, device, left_out=()):
    """The operations that operations(device) returns in each module of `package`, except the modules `left_out`."""
    names = [module.name for module in pkgutil.iter_modules(sys.modules[package].__path__)]
    modules = [importlib.import_module(f"{package}.{name}") for name in names]
    return [o for module in modules if hasattr(module, "operations") and module not in left_out for o in module.operations(device)]


@dataclass
class Backend:
    name: str
    version: str
    device: str = "cpu"  # or "gpu"
    device_name: str = ""
    device_id: str = ""  # the UUID of the GPU, as the driver's tools show it; empty if unknown
    libraries: dict = field(default_factory=dict)  # name -> version
    library_files: dict = field(default_factory=dict)  # name -> the file that was loaded
    operations: list = field(default_factory=list)
    unreadable: dict = field(default_factory=dict)  # value -> why it is unknown
    available_memory: object = host.available_memory  # a function: the bytes that a case may take
    memory_note: str = ""  # what to add where it is too little, such as the setting that limits it
    forget: object = lambda: None  # drops what refers to a released case, before garbage is collected
    release: object = lambda: None  # then returns the memory that the library keeps of it
    use_threads: object = None  # a function: has the next case take so many threads; None if the number is fixed
    # The Unsupported or OutOfMemory that an error of the library stands for; None for any other.
    meaning_of: object = lambda error: None
    # A function: True if the device can no longer be used by this process, whatever it is asked.
    is_lost: object = lambda: False
