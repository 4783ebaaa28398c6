"""TensorFlow as its users run it: by tf.function, with XLA or without, whichever is the faster."""

import tensorflow as tf

from breakeven_worker.backend import Backend, Operation, OutOfMemory, Unsupported, operations_of

from .device import Cpu, Gpu

__all__ = ["Cpu", "Gpu", "make_backend"]


def make_backend(make_device, version):
    device = make_device()
    return Backend(
        name=device.name,
        version=version,
        device=device.kind,
        device_name=device.device_name,
        libraries={"tensorflow": tf.__version__, **device.libraries},
        library_files={"tensorflow": tf.__file__},
        operations=[_prepared_on(device, operation) for operation in operations_of(__name__, device)],
        unreadable=device.unreadable,
    )


def _prepared_on(device, operation):
    """The same with what every case of a device needs."""

    def prepare(parameters, seed):
        device.use_precision(parameters["dtype"])
        try:
            prepared = operation.prepare(parameters, seed)
        except tf.errors.ResourceExhaustedError as e:
            raise OutOfMemory(e.message.splitlines()[0]) from None
        except (tf.errors.UnimplementedError, tf.errors.InvalidArgumentError, tf.errors.NotFoundError) as e:
            raise Unsupported(f"tensorflow refuses it: {e.message.splitlines()[0]}") from None
        prepared.flush = device.flush
        return prepared

    return Operation(operation.op, operation.dtypes, prepare)
