"""TensorFlow as its users run it: with tf.function, and with XLA if that is faster."""

import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")  # importing tensorflow reads it

import tensorflow as tf

from breakeven_worker.backend import OutOfMemory, Unsupported, operations_of, out_of_memory_in
from breakeven_worker.devices import backend_on

from .device import Cpu, Gpu


def make_backend(program, threads, version):
    """`program`: "tensorflow", with "-cuda" for a GPU."""
    device = Gpu() if program.endswith("-cuda") else Cpu(threads)
    return backend_on(
        device,
        version,
        operations_of(__name__, device),
        libraries={"tensorflow": tf.__version__},
        library_files={"tensorflow": tf.__file__},
        meaning_of=_meaning_of,
    )


def _meaning_of(error):
    if isinstance(error, tf.errors.ResourceExhaustedError):
        return OutOfMemory(error.message.splitlines()[0])
    if isinstance(error, tf.errors.OpError) and (full := out_of_memory_in(error)):
        return full
    if isinstance(error, (tf.errors.UnimplementedError, tf.errors.InvalidArgumentError, tf.errors.NotFoundError)):
        return Unsupported(f"tensorflow refuses it: {error.message.splitlines()[0]}")
    return None
